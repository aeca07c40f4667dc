import type { Car } from './car.ts'

type Searched = Pick<Car, 'plate' | 'vin' | 'deviceId' | 'makeAndModel' | 'name'> &
  Partial<Pick<Car, 'color' | 'group'>>

/** What people write differently goes: case, accents, spaces, and the hyphens of plates. */
export function normalised(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\s\p{M}-]+/gu, '')
    .toLowerCase()
}

const known = new WeakMap<Searched, string>()

/** All that a car can be found by, one a line, so that no hit reaches from one into the next. */
function searchedText(car: Searched): string {
  const before = known.get(car)
  if (before !== undefined) return before
  const { plate, vin, deviceId, makeAndModel, color = '', group = '', name } = car
  const text = [plate, vin, String(deviceId ?? ''), makeAndModel, color, group, name].map(normalised).join('\n')
  known.set(car, text)
  return text
}

/** Whether plate, VIN, IMEI, make and model, colour or group contain what was typed; nothing typed finds every car. */
export function isFound(car: Searched, typed: string): boolean {
  const wanted = normalised(typed)
  return wanted === '' || searchedText(car).includes(wanted)
}
