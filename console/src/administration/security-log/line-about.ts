import type { SecurityLine } from '../../api/schema.ts'
import type { Texts } from '../../language/language.ts'

/**
 * What a line is about: a user, a key, a car, a file; empty where it is about the one who did it.
 * @param nameOf the name of a car by its id; the id itself when the car is gone
 */
export function lineAbout(
  { kind, details }: Pick<SecurityLine, 'kind' | 'details'>,
  texts: Pick<Texts<'securityLog'>, 'everyVehicle' | 'ofTrip' | 'ofDongle'> & {
    readonly files: Readonly<Record<string, string>>
  },
  nameOf: (vehicleId: string) => string,
): string {
  const { email, keyName, deviceId, vehicleId, object, count } = details as Readonly<Record<string, unknown>>
  if (typeof object === 'string') {
    if (kind === 'data-exported') return Object.entries(texts.files).find(([file]) => file === object)?.[1] ?? object
    if (object === 'every vehicle') return texts.everyVehicle
    const [, what, id = ''] = /^(trip|device) (\d+)$/.exec(object) ?? []
    return what === undefined ? nameOf(object) : what === 'trip' ? texts.ofTrip(id) : texts.ofDongle(id)
  }
  const car = typeof vehicleId === 'string' ? nameOf(vehicleId) : undefined
  const parts = [email, keyName, deviceId, car, count].filter(
    part => typeof part === 'string' || typeof part === 'number',
  )
  return parts.join(' → ')
}
