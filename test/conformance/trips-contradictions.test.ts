import { expect } from 'vitest'
import { car, every, off, type Samples } from './made-up-drives.ts'
import { type Known, testScenarios } from './scenario.ts'

/** 20 km. */
const drive = car([600, 1800])
/** The same drive on each of six days. */
const DAY = 86_400
const daily = car(...[0, 1, 2, 3, 4, 5].map(day => [day * DAY + 600, day * DAY + 1800] as const))

const told = (stepS: number, values: (at: number) => object): Samples =>
  every(stepS, 0, 3000, at => ({ ...drive.ignition(at), ...drive.fix(at), ...values(at) }))

/** The kinds of contradictions that its explanation names. */
async function contradictionsOf({ trips, fleet }: Known): Promise<unknown> {
  const { distance } = await fleet.read<{ distance: { contradictions: { kind: string }[] } }>(
    `/trips/${trips[0]?.id}/explain`,
  )
  return distance.contradictions.map(({ kind }) => kind)
}

// Measures of a length that cannot all be right (decisions.md, *Trips*, distance).
testScenarios([
  ...[1, 5, 10, 30].map(stepS => ({
    title: `[D-TRIP-22] a receiver says speed 0 with each fix, every ${stepS} s`,
    sent: told(stepS, () => ({ GPS_SPEED: 0 })),
    trips: drive.drives({ withinKm: 2 }),
    reads: contradictionsOf,
    as: expect.arrayContaining([expect.stringMatching(/^SPEED/)]),
  })),
  {
    title: '[D-TRIP-22] the car answers 0 beside a receiver that says 60',
    sent: told(10, at => ({ ...drive.gpsSpeed(at), VEHICLE_SPEED_AVERAGE: 0 })),
    trips: drive.drives({ withinKm: 2 }),
  },
  ...[
    ['miles', 37],
    ['metres a second', 17],
    ['twice as much', 120],
  ].map(([unit, kmh]) => ({
    title: `[D-TRIP-22] the speed of the car counts ${unit}`,
    sent: told(10, at => ({ VEHICLE_SPEED_AVERAGE: drive.isDriving(at) ? kmh : 0 })),
    trips: drive.drives({ withinKm: 2 }),
  })),
  {
    title: '[D-TRIP-22] an odometer in hectometres, six drives',
    sent: Object.assign(
      {},
      ...[0, 1, 2, 3, 4, 5].map(day =>
        every(25, day * DAY, day * DAY + 2400, at => ({
          ...daily.ignition(at),
          ...daily.fix(at),
          ...daily.gpsSpeed(at),
          MILEAGE: Math.round(daily.metres(at) / 100) + 20_000,
        })),
      ),
    ),
    trips: daily.drives({ withinKm: 2 }),
  },
  {
    title: '[D-TRIP-22] a speed is stuck for half an hour after parking, and the next fix is 100 m on',
    sent: {
      ...every(10, 0, 1800, at => ({ ...drive.carSpeed(at), ...drive.fix(at), IS_IGNITION_ON: at >= 600 })),
      ...every(10, 1810, 3600, () => ({ VEHICLE_SPEED_AVERAGE: 60 })),
      3610: { IS_IGNITION_ON: false, VEHICLE_SPEED_AVERAGE: 0, POSITION: off(drive.place(1800), 100, 0) },
      ...every(600, 4200, 9000, () => ({ POSITION: off(drive.place(1800), 100, 0) })),
    },
    trips: [{ from: 600, to: 1800, km: 20, withinS: 1900, withinKm: 1 }],
  },
  {
    title: '[D-TRIP-24] a still receiver that states 120 m of error, and is off by 80',
    sent: every(120, 0, 10 * 3600, at => ({
      POSITION: off(drive.place(0), 80 * Math.sin(at * 1.7), 80 * Math.cos(at * 2.3)),
      GPS_HDOP: 24,
      IS_MOVING: false,
    })),
    trips: [],
  },
  {
    title: '[D-TRIP-25] a parked car of which two fixes were 300 m off',
    sent: every(60, 0, 7200, at => ({
      POSITION: at === 3600 || at === 3660 ? off(drive.place(0), 300, 0) : drive.place(0),
      GPS_SPEED: 0,
      IS_IGNITION_ON: false,
    })),
    trips: [],
  },
])
