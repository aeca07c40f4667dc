import type { DongleKind } from '../src/simulation/dongle.ts'

export { DISTURBANCES } from '../src/simulation/disturbances/all-disturbances.ts'

/** Dongles as they are sold: on the bus of the car, on its battery with a wire to the engine, or anywhere. */
export const DONGLES = {
  ignition: { awareness: 'ignition', readsOdometer: true, readsSpeed: true, readsVin: true, fixS: 5 },
  'ignition without odometer': {
    awareness: 'ignition',
    readsOdometer: false,
    readsSpeed: true,
    readsVin: true,
    fixS: 5,
  },
  engine: { awareness: 'engine', readsOdometer: true, readsSpeed: true, readsVin: true, fixS: 10 },
  motion: { awareness: 'motion', readsOdometer: false, readsSpeed: false, readsVin: false, fixS: 5 },
} as const satisfies Readonly<Record<string, DongleKind>>
