import type { DongleKind } from '../dongle.ts'

/** The dongles of the virtual fleet, all of them plugged into the car's diagnostic socket. */
export const DONGLE_KINDS = {
  'reads everything': { awareness: 'ignition', readsOdometer: true, readsSpeed: true, readsVin: true, fixS: 5 },
  'every ten seconds': { awareness: 'ignition', readsOdometer: true, readsSpeed: true, readsVin: true, fixS: 10 },
  'no odometer': { awareness: 'ignition', readsOdometer: false, readsSpeed: true, readsVin: true, fixS: 5 },
  'feels motion only': { awareness: 'motion', readsOdometer: false, readsSpeed: false, readsVin: false, fixS: 5 },
} as const satisfies Readonly<Record<string, DongleKind>>

export type DongleKindName = keyof typeof DONGLE_KINDS
