import type { SecurityLine } from '../../api/schema.ts'
import type { SecurityLogTexts } from './texts.ts'

/** What a line is about: a user, a key, a car, a file; empty where it is about the one who did it. */
export function lineAbout(
  { kind, details }: Pick<SecurityLine, 'kind' | 'details'>,
  texts: Pick<SecurityLogTexts, 'everyVehicle' | 'ofTrip' | 'ofDongle'> & {
    readonly files: Readonly<Record<string, string>>
  },
): string {
  const { email, keyName, deviceId, vehicleId, object, count } = details as Readonly<Record<string, unknown>>
  if (typeof object === 'string') {
    if (kind === 'data-exported') return Object.entries(texts.files).find(([file]) => file === object)?.[1] ?? object
    if (object === 'every vehicle') return texts.everyVehicle
    const [, what, id = ''] = /^(trip|device) (\d+)$/.exec(object) ?? []
    return what === undefined ? object : what === 'trip' ? texts.ofTrip(id) : texts.ofDongle(id)
  }
  const parts = [email, keyName, deviceId, vehicleId, count].filter(
    part => typeof part === 'string' || typeof part === 'number',
  )
  return parts.join(' → ')
}
