import { expect } from 'vitest'
import { car, every } from './made-up-drives.ts'
import { type Known, testScenarios } from './scenario.ts'
import type { Aggregation, Trip } from './shapes.ts'

const KM_PER_MILE = 1.609344

/** 20 km. */
const drive = car([600, 1800])
/** Four drives of 15 km. */
const FOUR = [0, 1, 2, 3].map(turn => [turn * 3600 + 600, turn * 3600 + 1500] as const)
const daily = car(...FOUR)

const told = (of: typeof drive) => (at: number) => ({ ...of.ignition(at), ...of.fix(at) })

/** By how many km the vehicle's running total grew in the year, and the sum of its trips. */
async function grownInYear({ fleet, vehicleId }: Known): Promise<unknown> {
  const query = `vehicleId=${vehicleId}&aggregation=DRIVEN_DISTANCE&aggregationType=DIFFERENCE,SUM&binSize=YEAR`
  const rows = await fleet.read<Aggregation[]>(`/aggregations?${query}`)
  return Object.fromEntries(rows.map(({ aggregationType, value }) => [aggregationType, value]))
}

/** START and END of the odometer. */
function mileage(trip: Trip | undefined) {
  const ofOdometer = trip?.aggregations.filter(({ eventType }) => eventType === 'MILEAGE') ?? []
  return Object.fromEntries(ofOdometer.map(({ aggregationType, value }) => [aggregationType, value]))
}

// What odometers show, and when they do not count.
testScenarios([
  {
    title: '[D-TRIP-02, D-TRIP-03] an odometer covers the trip',
    sent: every(10, 0, 3000, at => ({ ...told(drive)(at), ...drive.odometer(at) })),
    trips: drive.drives({ withinS: 10, withinKm: 0.05 }),
    reads: ({ trips }) => mileage(trips[0]),
    as: { START: 48_211.4, END: 48_231.4 },
  },
  {
    title: '[D-TRIP-17, D-AGGREGATION-05] the instrument cluster is swapped between two trips',
    sent: every(10, 0, 7000, at => ({ ...told(daily)(at), ...daily.odometer(at, at < 3600 ? 120_000 : 7) })),
    trips: daily.drives({ withinKm: 0.05 }).slice(0, 2),
    reads: grownInYear,
    as: { DIFFERENCE: expect.closeTo(30, 1), SUM: expect.closeTo(30, 1) },
  },
  {
    title: '[D-TRIP-17, D-AGGREGATION-05] the odometer jumps back to almost nothing under way',
    sent: every(10, 0, 3000, at => ({ ...told(drive)(at), ...drive.odometer(at, at < 1200 ? 120_000 : 22) })),
    trips: drive.drives(),
    road: drive.road,
    reads: grownInYear,
    as: { DIFFERENCE: expect.closeTo(20, 0), SUM: expect.closeTo(20, 0) },
  },
  {
    title: '[D-TRIP-17] the odometer jumps forward by a thousand kilometres under way',
    sent: every(10, 0, 3000, at => ({ ...told(drive)(at), ...drive.odometer(at, at < 1200 ? 120_000 : 121_000) })),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: '[D-TRIP-16, D-TRIP-03] an odometer of 0 until the car answers is unknown',
    sent: every(10, 0, 3000, at => ({
      ...told(drive)(at),
      ...(at >= 600 && at < 650 ? { MILEAGE: 0 } : drive.odometer(at)),
    })),
    trips: drive.drives({ withinKm: 0.2 }),
    reads: ({ trips }) => mileage(trips[0]),
    as: { START: expect.toSatisfy(isRead), END: 48_231.4 },
  },
  {
    title: '[D-TRIP-16] so it is where the dongle asks the car again on each trip',
    sent: every(10, 0, 7000, at => ({
      ...told(daily)(at),
      MILEAGE: at % 3600 < 650 ? 0 : daily.odometer(at).MILEAGE,
    })),
    trips: daily.drives({ withinKm: 0.2 }).slice(0, 2),
    reads: ({ trips }) => trips.map(trip => isRead(mileage(trip).START)),
    as: [true, true],
  },
  {
    title: '[D-TRIP-18] an odometer in miles: kilometres by positions',
    sent: every(10, 0, 15_000, at => ({ ...told(daily)(at), MILEAGE: 30_000 + daily.metres(at) / 1000 / KM_PER_MILE })),
    trips: daily.drives({ withinKm: 0.4 }),
    road: daily.road,
  },
  {
    title: '[D-TRIP-18] an odometer that counts 15 % too much: positions count after 20 km',
    sent: every(10, 0, 15_000, at => ({ ...told(daily)(at), MILEAGE: 30_000 + (1.15 * daily.metres(at)) / 1000 })),
    // For the first 20 km nobody knows which of the two is right.
    trips: daily.drives().map((trip, index) => ({ ...trip, withinKm: index < 2 ? 2.5 : 0.3 })),
    road: daily.road,
  },
])

function isRead(km: unknown): boolean {
  return typeof km === 'number' && km >= 48_211.4 && km < 48_230
}
