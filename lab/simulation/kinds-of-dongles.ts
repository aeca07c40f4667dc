import type { DongleKind } from './dongle.ts'

export interface KindOfDongle {
  readonly name: string
  readonly about: string
  readonly kind: Omit<DongleKind, 'fixS'>
  readonly isHybrid?: boolean
}

const ALL = { readsOdometer: true, readsSpeed: true, readsVin: true } as const
const NO_ODOMETER = { ...ALL, readsOdometer: false } as const
const BY_CLOCK = { ...ALL, isByClockOnly: true } as const
const SPEEDS = ['VEHICLE_SPEED_AVERAGE', 'VEHICLE_SPEED_MAX', 'VEHICLE_SPEED_MIN'] as const

const ofKind = <Name extends string>(name: Name, about: string, kind: KindOfDongle['kind'], isHybrid?: true) => ({
  name,
  about,
  kind,
  ...(isHybrid && { isHybrid }),
})

/** One that reports by the clock, and only these values. */
const bare = <Name extends string>(name: Name, about: string, tellsOnly: readonly string[]) =>
  ofKind(name, about, { awareness: 'motion', ...BY_CLOCK, tellsOnly })

/** Dongles by what they tell of a drive, from everything down to a single value. */
export const KINDS_OF_DONGLES = [
  ofKind('everything', 'ignition, speed of the car, fixes, odometer, VIN', { awareness: 'ignition', ...ALL }),
  ofKind('no-odometer', 'ignition, speed of the car, fixes, VIN', { awareness: 'ignition', ...NO_ODOMETER }),
  ofKind('ignition-positions', 'ignition and positions, no speed of any kind', {
    awareness: 'ignition',
    ...ALL,
    tellsOnly: ['IS_IGNITION_ON', 'POSITION'],
  }),
  ofKind('engine', 'ENGINE_STATE instead of the ignition, speed of the car, fixes, odometer', {
    awareness: 'engine',
    ...ALL,
  }),
  ofKind(
    'hybrid',
    'ENGINE_STATE of a hybrid, speed of the car, fixes',
    { awareness: 'engine', ...NO_ODOMETER, isByClockOnly: true },
    true,
  ),
  ofKind(
    'hybrid-odometer',
    'ENGINE_STATE of a hybrid, speed of the car, fixes, odometer',
    { awareness: 'engine', ...BY_CLOCK },
    true,
  ),
  ofKind('motion', 'fixes with their speed, IS_MOVING', {
    awareness: 'motion',
    readsOdometer: false,
    readsSpeed: false,
    readsVin: false,
    isByClockOnly: true,
  }),
  bare('positions', 'positions only, also while parked', ['POSITION']),
  ofKind('phone', 'positions only, silent from ten minutes after a drive until the next one', {
    awareness: 'motion',
    ...BY_CLOCK,
    tellsOnly: ['POSITION'],
    isSilentWhileParked: true,
  }),
  bare('positions-odometer', 'positions and odometer', ['POSITION', 'MILEAGE']),
  bare('odometer', 'odometer only', ['MILEAGE']),
  ofKind('wired-on', 'everything, but its ignition input is wired to permanent current', {
    awareness: 'wired ignition',
    ...BY_CLOCK,
  }),
  bare('speed', 'speed of the car and battery voltage, no receiver', [...SPEEDS, 'BATTERY_VOLTAGE']),
] as const satisfies readonly KindOfDongle[]

export type KindName = (typeof KINDS_OF_DONGLES)[number]['name']

export function kindNamed(name: KindName): KindOfDongle {
  const kind = KINDS_OF_DONGLES.find(each => each.name === name)
  if (!kind) throw new Error(`there is no kind of dongle ${name}`)
  return kind
}

export const CADENCES_S = [1, 10, 30, 60, 120, 300] as const
