import type { Car } from '../../simulation/car.ts'
import type { Dongle } from '../../simulation/dongle.ts'
import { imeiOf } from '../../simulation/imei.ts'
import type { RouteName } from './routes.ts'

/** A drive that a car makes every day, give or take a few minutes. */
export interface DailyDrive {
  /** Minute of the day, UTC. */
  readonly minute: number
  readonly route: RouteName
  /** Driven from its end to its start. */
  readonly back?: true
}

/** A car of the demonstration. Its whole history follows from this row and the clock. */
export interface DemoCar {
  readonly dongle: Dongle
  readonly car: Car
  readonly drives: readonly DailyDrive[]
  /** Odometer at the start of 2025. */
  readonly firstKm: number
  /** Fault codes stored for good, and those that come and go. */
  readonly faults?: { readonly permanent: string; readonly sporadic: string }
}

/** Type allocation code of the demonstration's dongles; no recording that is replayed has it. */
const TAC = '35730208'

const dongle = (serial: number, firmware: string): Dongle => ({
  deviceId: imeiOf(TAC, serial),
  firmware,
  intervals: {
    stepMs: 5000,
    fixMs: 5000,
    engineMs: 10_000,
    slowMs: 60_000,
    // Below the five minutes after which a device counts as offline.
    parkedMs: 240_000,
    parkedIdentityMs: 3_600_000,
  },
  silentAbout: new Set(['ENGINE_STATE']),
})

/** The odometer shows hundreds of metres. */
const car = (row: Omit<Car, 'odometerStepM' | 'capacity'>): Car => ({ ...row, capacity: 55, odometerStepM: 100 })

/** Round the clock from `firstMinute`, one after the other: somebody moves at whatever hour the demonstration is started. */
const taxiDrives = (firstMinute: number): DailyDrive[] =>
  Array.from({ length: 39 }, (_, i) => ({
    minute: firstMinute + i * 36,
    route: (['palace', 'durlach', 'harbour'] as const)[i % 3] ?? 'palace',
  }))

const thereAndBack = (route: RouteName, minute: number, backMinute: number): DailyDrive[] => [
  { minute, route },
  { minute: backMinute, route, back: true },
]

export const DEMO_FLEET: readonly DemoCar[] = [
  {
    dongle: dongle(1, '4.2.1'),
    car: car({ vin: 'WDD2130041A204117', engine: 'combustion', rangeKm: 780, restingVolts: 12.5 }),
    drives: taxiDrives(2),
    firstKm: 14_210,
  },
  {
    dongle: dongle(2, '4.2.1'),
    car: car({ vin: 'TMBJG7NE8H0133508', engine: 'combustion', rangeKm: 710, restingVolts: 12.5 }),
    drives: taxiDrives(20),
    firstKm: 31_870,
  },
  {
    dongle: dongle(3, '4.1.0'),
    car: car({ vin: 'WV1ZZZ7HZLH045871', engine: 'combustion', rangeKm: 690, restingVolts: 12.6 }),
    drives: (
      ['harbour', 'durlach', 'palace', 'harbour', 'palace', 'durlach', 'harbour', 'durlach', 'palace'] as const
    ).map((route, i) => ({ minute: 310 + i * 65, route })),
    firstKm: 58_034,
  },
  {
    dongle: dongle(4, '4.2.1'),
    car: car({ vin: 'WVWZZZAUZKW112233', engine: 'combustion', rangeKm: 620, restingVolts: 12.5 }),
    drives: [...thereAndBack('neureut', 365, 660), ...thereAndBack('neureut', 715, 945)],
    firstKm: 41_655,
  },
  {
    dongle: dongle(5, '5.0.3'),
    car: car({ vin: 'WVWZZZE1ZMP008154', engine: 'electric', rangeKm: 340, restingVolts: 12.7 }),
    drives: [
      ...thereAndBack('ettlingen', 390, 480),
      ...thereAndBack('ettlingen', 570, 690),
      ...thereAndBack('ettlingen', 780, 900),
      ...thereAndBack('ettlingen', 1005, 1110),
    ],
    firstKm: 22_480,
  },
  {
    dongle: dongle(6, '3.9.8'),
    // Below 11.3 V, so that a warning can be seen.
    car: car({ vin: 'WF0PXXGCHPKY71042', engine: 'combustion', rangeKm: 830, restingVolts: 11.2 }),
    drives: [
      ...thereAndBack('bruchsal', 330, 420),
      ...thereAndBack('bruchsal', 520, 620),
      ...thereAndBack('bruchsal', 750, 850),
      ...thereAndBack('bruchsal', 1020, 1230),
    ],
    firstKm: 167_392,
    faults: { permanent: 'P0420', sporadic: 'P0171' },
  },
]
