import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { settled } from '../settled.ts'
import { car, every, instant, silentBetween } from './made-up-drives.ts'
import { expectDrives, expectOnRoad, testScenarios } from './scenario.ts'
import type { TripAggregation, TripList } from './shapes.ts'
import { startWorld } from './world.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE

/** 13.65 km. */
const short = car([120, 939])
/** 40 km. */
const long = car([1000, 3400])
/** 30 km. */
const middling = car([600, 2400])
const ignitionAndFix = (of: typeof short) => (at: number) => ({ ...of.ignition(at), ...of.fix(at) })
const ignitionAndOdometer = (of: typeof short) => (at: number) => ({ ...of.ignition(at), ...of.odometer(at) })

// However little a dongle reports, and however rarely.
testScenarios([
  {
    title: '[D-TRIP-05, D-TRIP-02] positions alone, every second: a drive of 13.65 km',
    sent: every(1, 0, 1500, short.fix),
    trips: short.drives(),
    road: short.road,
  },
  {
    title: '[D-TRIP-05] positions alone that begin and end under way',
    sent: every(1, 120, 939, short.fix),
    trips: short.drives(),
    road: short.road,
  },
  {
    title: '[D-TRIP-05, D-TRIP-03] the example of the README, every half minute: MILEAGE and POSITION',
    sent: every(30, 0, 1500, at => ({ ...short.odometer(at, 48_211.4), ...short.fix(at) })),
    trips: short.drives(),
    road: short.road,
    reads: ({ trips }) => mileage(trips[0]?.aggregations),
    as: [48_225.05, 48_211.4],
  },
  {
    title: '[D-TRIP-05, D-TRIP-02] an odometer alone that moves 80 km',
    sent: every(60, 0, 2 * HOUR, car([15 * MINUTE, 95 * MINUTE]).odometer),
    trips: car([15 * MINUTE, 95 * MINUTE]).drives(),
  },
  {
    title: '[D-TRIP-08] a record every 300 s with ignition and odometer',
    sent: every(300, 0, 2 * HOUR, ignitionAndOdometer(long)),
    trips: long.drives({ withinS: 300, withinKm: 0.2 }),
  },
  {
    title: '[D-TRIP-08] a record every 300 s with ignition, odometer and positions',
    sent: every(300, 0, 2 * HOUR, at => ({ ...ignitionAndOdometer(long)(at), ...long.fix(at) })),
    trips: long.drives({ withinS: 300, withinKm: 0.2 }),
    road: long.road,
  },
  {
    title: '[D-TRIP-08, D-TRIP-02] a record every 300 s with ignition and positions',
    sent: every(300, 0, 2 * HOUR, ignitionAndFix(long)),
    trips: long.drives({ withinS: 300, withinKm: 2.4 }),
    road: long.road,
  },
  {
    title: '[D-TRIP-08, D-TRIP-05] a record every 300 s with speed and position',
    sent: every(300, 0, 2 * HOUR, at => ({ ...long.gpsSpeed(at), ...long.fix(at) })),
    trips: long.drives({ withinS: 300, withinKm: 2.4 }),
    road: long.road,
  },
  {
    title: '[D-TRIP-08, D-TRIP-05] a record every 300 s with nothing but a position',
    sent: every(300, 0, 2 * HOUR, long.fix),
    trips: long.drives({ withinS: 300, withinKm: 2.4 }),
    road: long.road,
  },
  {
    title: '[D-TRIP-08] taxis that report every 360 s keep all their drives',
    sent: every(360, 0, 4 * HOUR, ignitionAndFix(car([1000, 4000], [6000, 9000]))),
    trips: car([1000, 4000], [6000, 9000]).drives({ withinS: 360, withinKm: 3 }),
    road: car([1000, 4000], [6000, 9000]).road,
  },
  {
    title:
      '[D-TRIP-08] silence of ten minutes cuts the trip of a dongle that reports every ten seconds, parked meanwhile',
    sent: silentBetween(1200, 1800, every(10, 0, 3000, ignitionAndFix(car([600, 1200], [1800, 2400])))),
    trips: car([600, 1200], [1800, 2400]).drives(),
  },
  {
    title: '[D-TRIP-08] silence of ten minutes cuts no trip of a dongle that reports every five minutes',
    sent: silentBetween(1800, 2400, every(300, 0, 2 * HOUR, ignitionAndFix(long))),
    trips: long.drives({ withinS: 300, withinKm: 2.4 }),
  },
  {
    title: '[D-TRIP-09] a silence of 6 minutes under way is bridged: the odometer shows it',
    sent: silentBetween(1200, 1560, every(10, 0, 3000, ignitionAndOdometer(middling))),
    trips: middling.drives({ withinKm: 0.1 }),
  },
  {
    title: '[D-TRIP-09] a silence of 6 minutes under way is bridged: positions show it',
    sent: silentBetween(1200, 1560, every(10, 0, 3000, ignitionAndFix(middling))),
    trips: middling.drives(),
    road: middling.road,
  },
  {
    title: '[D-TRIP-09] a silence of 6 minutes under way is bridged where nobody says anything of the ignition',
    sent: silentBetween(
      1200,
      1560,
      every(10, 0, 3000, at => ({ ...middling.gpsSpeed(at), ...middling.fix(at) })),
    ),
    trips: middling.drives(),
    road: middling.road,
  },
  {
    title: '[D-TRIP-09] a tunnel of 13 minutes in which nothing is reported, with an odometer',
    sent: silentBetween(
      1200,
      1980,
      every(10, 0, 3000, at => ({ ...ignitionAndOdometer(middling)(at), ...middling.fix(at) })),
    ),
    trips: middling.drives({ withinKm: 0.1 }),
    road: middling.road,
  },
  {
    title: '[D-TRIP-09] a tunnel of 13 minutes in which nothing is reported, with ignition and positions',
    sent: silentBetween(1200, 1980, every(10, 0, 3000, ignitionAndFix(middling))),
    // Nobody knows how a road of 13 km winds.
    trips: middling.drives({ withinKm: 3 }),
    road: middling.road,
  },
  {
    title: '[D-TRIP-02] a tunnel of 13 minutes without a fix, in which the car tells its speed',
    sent: every(10, 0, 3000, at => ({
      ...middling.ignition(at),
      ...middling.carSpeed(at),
      ...(at > 1200 && at < 1980 ? {} : middling.fix(at)),
    })),
    trips: middling.drives(),
    road: middling.road,
  },
  {
    title: '[D-TRIP-10] a silence of more than half an hour cuts a trip, whatever the odometer shows',
    sent: silentBetween(1200, 3100, every(10, 0, 5000, ignitionAndOdometer(car([600, 4000])))),
    trips: [
      { from: 600, to: 1200, km: 10 },
      { from: 3100, to: 4000, km: 15 },
    ],
  },
])

/** END and START of the odometer. */
function mileage(aggregations: readonly TripAggregation[] = []): unknown[] {
  return aggregations.filter(({ eventType }) => eventType === 'MILEAGE').map(({ value }) => value)
}

test('[D-TRIP-05, D-TRIP-02] an OsmAnd phone that is set up as docs/gateways/osmand.md says', async () => {
  const page = readFileSync(new URL('../../docs/gateways/osmand.md', import.meta.url), 'utf8')
  const address = /https:\/\/fleet\.example\.com(\/ingest\/osmand\?key=)KEY(&id=(\d+)&lat=\{0\}\S+)/.exec(page)
  const [, path, parameters = '', id] = address ?? []
  const world = await startWorld()
  try {
    const fleet = await world.client('Fleet')
    for (let at = 120; at <= 939; at += 7) {
      const { lat, lon } = short.place(at)
      // The order of OsmAnd: latitude, longitude, time in ms, accuracy, altitude, speed in m/s, bearing.
      const values = [lat, lon, Date.parse(instant(at)), 4, 520, 16.7, 25]
      const query = parameters.replaceAll(/\{(\d)\}/g, (_, place) => String(values[Number(place)]))
      expect((await world.ask(`${path}${fleet.token}${query}`)).status).toBe(200)
    }
    await settled(world.service.database)
    const { trips } = await fleet.read<TripList>(`/trips?deviceId=${id}`)
    expectDrives(trips, short.drives())
    expectOnRoad(trips, short.road)
  } finally {
    await world.stop()
  }
})
