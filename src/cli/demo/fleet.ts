import type { DeviceId } from '../../intake/sample.ts'
import { imeiOf } from '../imei.ts'
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
  readonly deviceId: DeviceId
  readonly vin: string
  readonly firmware: string
  readonly engine: 'combustion' | 'electric'
  readonly drives: readonly DailyDrive[]
  /** Odometer at the start of 2025. */
  readonly firstKm: number
  /** Range of a full tank or battery. */
  readonly rangeKm: number
  readonly restingVolts: number
  /** Fault codes stored for good, and those that come and go. */
  readonly faults?: { readonly permanent: string; readonly sporadic: string }
}

/** Type allocation code of the demonstration's dongles; no recording that is replayed has it. */
const TAC = '35730208'

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
    deviceId: imeiOf(TAC, 1),
    vin: 'WDD2130041A204117',
    firmware: '4.2.1',
    engine: 'combustion',
    drives: taxiDrives(2),
    firstKm: 14_210,
    rangeKm: 780,
    restingVolts: 12.5,
  },
  {
    deviceId: imeiOf(TAC, 2),
    vin: 'TMBJG7NE8H0133508',
    firmware: '4.2.1',
    engine: 'combustion',
    drives: taxiDrives(20),
    firstKm: 31_870,
    rangeKm: 710,
    restingVolts: 12.5,
  },
  {
    deviceId: imeiOf(TAC, 3),
    vin: 'WV1ZZZ7HZLH045871',
    firmware: '4.1.0',
    engine: 'combustion',
    drives: (
      ['harbour', 'durlach', 'palace', 'harbour', 'palace', 'durlach', 'harbour', 'durlach', 'palace'] as const
    ).map((route, i) => ({ minute: 310 + i * 65, route })),
    firstKm: 58_034,
    rangeKm: 690,
    restingVolts: 12.6,
  },
  {
    deviceId: imeiOf(TAC, 4),
    vin: 'WVWZZZAUZKW112233',
    firmware: '4.2.1',
    engine: 'combustion',
    drives: [...thereAndBack('neureut', 365, 660), ...thereAndBack('neureut', 715, 945)],
    firstKm: 41_655,
    rangeKm: 620,
    restingVolts: 12.5,
  },
  {
    deviceId: imeiOf(TAC, 5),
    vin: 'WVWZZZE1ZMP008154',
    firmware: '5.0.3',
    engine: 'electric',
    drives: [
      ...thereAndBack('ettlingen', 390, 480),
      ...thereAndBack('ettlingen', 570, 690),
      ...thereAndBack('ettlingen', 780, 900),
      ...thereAndBack('ettlingen', 1005, 1110),
    ],
    firstKm: 22_480,
    rangeKm: 340,
    restingVolts: 12.7,
  },
  {
    deviceId: imeiOf(TAC, 6),
    vin: 'WF0PXXGCHPKY71042',
    firmware: '3.9.8',
    engine: 'combustion',
    drives: [
      ...thereAndBack('bruchsal', 330, 420),
      ...thereAndBack('bruchsal', 520, 620),
      ...thereAndBack('bruchsal', 750, 850),
      ...thereAndBack('bruchsal', 1020, 1230),
    ],
    firstKm: 167_392,
    rangeKm: 830,
    // Below 11.3 V, so that a warning can be seen.
    restingVolts: 11.2,
    faults: { permanent: 'P0420', sporadic: 'P0171' },
  },
]
