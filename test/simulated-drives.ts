import type { DongleKind } from '../lab/simulation/dongle.ts'
import { type KindName, kindNamed } from '../lab/simulation/kinds-of-dongles.ts'

export { DISTURBANCES } from '../lab/simulation/disturbances/all-disturbances.ts'

/** Typical dongles: on the bus of the car, on its battery with a wire to the engine, or anywhere. */
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

const every = (fixS: number, name: KindName): DongleKind => ({ ...kindNamed(name).kind, fixS })

/** Extreme dongles: they report little, rarely, or something wrong. */
export const EDGE_DONGLES = {
  'engine by the clock': every(10, 'hybrid'),
  'ignition and positions': every(120, 'ignition-positions'),
  'motion, rarely': every(60, 'motion'),
  positions: every(60, 'positions'),
  phone: every(30, 'phone'),
  'positions and odometer': every(300, 'positions-odometer'),
  odometer: every(60, 'odometer'),
  'ignition wired on': every(30, 'wired-on'),
  speed: every(60, 'speed'),
} as const satisfies Readonly<Record<string, DongleKind>>
