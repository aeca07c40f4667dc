import type { DongleKind } from './dongle.ts'

/** A kind of dongle in a kind of car, whatever its cadence. */
export interface KindOfDongle {
  readonly name: string
  readonly about: string
  readonly kind: Omit<DongleKind, 'fixS'>
  readonly isHybrid?: boolean
}

const ALL = { readsOdometer: true, readsSpeed: true, readsVin: true } as const
const BARE = { awareness: 'motion', ...ALL, isByClockOnly: true } as const

/** Dongles by what they tell of a drive, from everything down to a single value. */
export const KINDS_OF_DONGLES = [
  {
    name: 'everything',
    about: 'ignition, speed of the car, fixes, odometer, VIN',
    kind: { awareness: 'ignition', ...ALL },
  },
  {
    name: 'no-odometer',
    about: 'ignition, speed of the car, fixes, VIN',
    kind: { awareness: 'ignition', ...ALL, readsOdometer: false },
  },
  {
    name: 'ignition-positions',
    about: 'ignition and positions, no speed of any kind',
    kind: { awareness: 'ignition', ...ALL, tellsOnly: ['IS_IGNITION_ON', 'POSITION'] },
  },
  {
    name: 'engine',
    about: 'ENGINE_STATE instead of the ignition, speed of the car, fixes, odometer',
    kind: { awareness: 'engine', ...ALL },
  },
  {
    name: 'hybrid',
    about: 'ENGINE_STATE of a hybrid, speed of the car, fixes',
    kind: { awareness: 'engine', ...ALL, readsOdometer: false, isByClockOnly: true },
    isHybrid: true,
  },
  {
    name: 'hybrid-odometer',
    about: 'ENGINE_STATE of a hybrid, speed of the car, fixes, odometer',
    kind: { awareness: 'engine', ...ALL, isByClockOnly: true },
    isHybrid: true,
  },
  {
    name: 'motion',
    about: 'fixes with their speed, IS_MOVING',
    kind: { awareness: 'motion', readsOdometer: false, readsSpeed: false, readsVin: false, isByClockOnly: true },
  },
  { name: 'positions', about: 'positions only, also while parked', kind: { ...BARE, tellsOnly: ['POSITION'] } },
  {
    name: 'phone',
    about: 'positions only, silent from ten minutes after a drive until the next one',
    kind: { ...BARE, tellsOnly: ['POSITION'], isSilentWhileParked: true },
  },
  {
    name: 'positions-odometer',
    about: 'positions and odometer',
    kind: { ...BARE, tellsOnly: ['POSITION', 'MILEAGE'] },
  },
  { name: 'odometer', about: 'odometer only', kind: { ...BARE, tellsOnly: ['MILEAGE'] } },
  {
    name: 'wired-on',
    about: 'everything, but its ignition input is wired to permanent current',
    kind: { awareness: 'wired ignition', ...ALL, isByClockOnly: true },
  },
  {
    name: 'speed',
    about: 'speed of the car and battery voltage, no receiver',
    kind: {
      ...BARE,
      tellsOnly: ['VEHICLE_SPEED_AVERAGE', 'VEHICLE_SPEED_MAX', 'VEHICLE_SPEED_MIN', 'BATTERY_VOLTAGE'],
    },
  },
] as const satisfies readonly KindOfDongle[]

export type KindName = (typeof KINDS_OF_DONGLES)[number]['name']

export function kindNamed(name: KindName): KindOfDongle {
  const kind = KINDS_OF_DONGLES.find(each => each.name === name)
  if (!kind) throw new Error(`there is no kind of dongle ${name}`)
  return kind
}

/** Seconds between two records. */
export const CADENCES_S = [1, 10, 30, 60, 120, 300] as const
