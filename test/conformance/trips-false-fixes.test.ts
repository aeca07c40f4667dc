import { positionsOf } from '../../src/derive/trips/route.ts'
import { car, every, off, onRoad, type Place, type Samples } from './made-up-drives.ts'
import { testScenarios } from './scenario.ts'

const HOUR = 3600

/** 20 km. */
const drive = car([600, 1800])
/** The same car three hours later, 75 km away. */
const afterFerry = car([3 * HOUR, 3 * HOUR + 1200])
const shortDrive = car([3 * HOUR, 3 * HOUR + 300])
const beforeFerry = off(onRoad(0), -75_000, 0)
/** The factory default of a receiver, which it reports until it has a fix. */
const FACTORY: Place = { lat: 22.5431, lon: 114.0579 }
const AIRPORT = off(onRoad(0), 12_000, 30_000)

/** A drive as a dongle with ignition reports it every ten seconds. */
const told = (of: typeof drive, until: number) =>
  every(10, 0, until, at => ({ ...of.ignition(at), ...of.carSpeed(at), ...of.fix(at) }))
const toldByFixes = (of: typeof drive, until: number) => every(10, 0, until, of.fix)

/** The same samples, some of them with other fixes. */
function fixesInstead(samples: Samples, from: number, to: number, place: (at: number) => Place): Samples {
  return Object.fromEntries(
    Object.entries(samples).map(([second, values]) => {
      const at = Number(second)
      return [at, at >= from && at < to ? { ...values, POSITION: place(at) } : values]
    }),
  )
}
/** Spoofed: a transmitter pretends that the car drives around an airport. */
const spoofed = (at: number) => off(AIRPORT, 200 * Math.sin(at / 20), 200 * Math.cos(at / 20))
const holds = (place: Place) => () => place
const latitude0 = (at: number) => ({ lat: 0, lon: drive.place(at).lon })

const crossing = car([600, 1800])
/** On the island of Taveuni, whose roads cross the 180th meridian. */
const TAVEUNI: Place = { lat: -16.85, lon: 179.95 }
const eastward = (at: number) => off(TAVEUNI, 0, crossing.metres(at))

// False fixes do not affect route, addresses and distance.
testScenarios([
  {
    title: '[D-TRIP-14] after a ferry the receiver repeats its old fix for a minute',
    sent: fixesInstead(told(afterFerry, 4 * HOUR), 0, 3 * HOUR + 60, holds(beforeFerry)),
    trips: afterFerry.drives(),
    road: afterFerry.road,
  },
  {
    title: '[D-TRIP-14] it does so of a dongle that tells nothing of its speed',
    sent: every(10, 0, 4 * HOUR, at => ({
      ...afterFerry.ignition(at),
      POSITION: at < 3 * HOUR + 60 ? beforeFerry : afterFerry.place(at),
    })),
    // No fix shows the first kilometre.
    trips: afterFerry.drives({ withinKm: 1.4 }),
    road: afterFerry.road,
  },
  {
    title:
      '[D-TRIP-14, D-TRIP-23] it does so at the begin of a drive of five minutes, and the car is parked there for a day',
    sent: fixesInstead(
      {
        ...told(shortDrive, 3 * HOUR + 300),
        ...every(600, 3 * HOUR + 600, 27 * HOUR, at => told(shortDrive, at)[at] ?? {}),
      },
      0,
      3 * HOUR + 60,
      holds(beforeFerry),
    ),
    trips: shortDrive.drives(),
    road: shortDrive.road,
  },
  {
    title: "[D-TRIP-14] a receiver's factory default for the first minute: in China",
    sent: fixesInstead(told(drive, 3000), 600, 660, holds(FACTORY)),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: "[D-TRIP-14] a receiver's factory default is the first that a dongle ever tells",
    sent: fixesInstead(
      every(10, 600, 3000, at => told(drive, 3000)[at] ?? {}),
      600,
      660,
      holds(FACTORY),
    ),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: '[D-TRIP-14] spoofing for 5 minutes under way',
    sent: fixesInstead(told(drive, 3000), 1000, 1300, spoofed),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: '[D-TRIP-14] spoofing for 5 minutes of a dongle that tells nothing but positions',
    sent: fixesInstead(toldByFixes(drive, 3000), 1000, 1300, spoofed),
    trips: drive.drives({ withinKm: 1 }),
    road: drive.road,
  },
  {
    title: '[D-TRIP-14] latitude 0 with the right longitude',
    sent: fixesInstead(told(drive, 3000), 1000, 1060, latitude0),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: '[D-TRIP-14] latitude 0 with the right longitude, of a dongle that tells nothing but positions',
    sent: fixesInstead(toldByFixes(drive, 3000), 1000, 1060, latitude0),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: '[D-TRIP-14] a false fix six kilometres aside that holds for a minute',
    sent: fixesInstead(told(drive, 3000), 1200, 1260, holds(off(drive.place(1200), 0, 6000))),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: '[D-TRIP-14] a false fix that holds for a minute, of a dongle that tells nothing but positions',
    sent: fixesInstead(toldByFixes(drive, 3000), 1200, 1260, holds(off(drive.place(1200), 0, 6000))),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title:
      '[D-TRIP-15] a speed of the car that is stuck at 43 km/h over a repeated fix counts for half an hour at most',
    sent: every(10, 0, 8 * HOUR, at => ({
      VEHICLE_SPEED_AVERAGE: at < 600 ? 0 : drive.isDriving(at) ? 60 : 43,
      ...drive.fix(at),
    })),
    // 20 km, and at most half an hour at 43 km/h.
    trips: [{ from: 600, to: 2700, km: 30.75, withinS: 960, withinKm: 10.8 }],
    road: drive.road,
  },
  {
    title: '[D-TRIP-15] so it does with ignition that stays on',
    sent: every(10, 0, 8 * HOUR, at => ({
      IS_IGNITION_ON: at >= 600,
      VEHICLE_SPEED_AVERAGE: at < 600 ? 0 : drive.isDriving(at) ? 60 : 43,
      ...drive.fix(at),
    })),
    trips: [{ from: 600, to: 2700, km: 30.75, withinS: 960, withinKm: 10.8 }],
    road: drive.road,
  },
  {
    title: '[D-TRIP-12] ignition on and a stuck speed of a parked car whose receiver stays and says 0 is no trip',
    sent: every(10, 0, 2 * HOUR, at => ({
      IS_IGNITION_ON: drive.isDriving(at) || (at >= HOUR && at < HOUR + 1500),
      VEHICLE_SPEED_AVERAGE: drive.isDriving(at) ? 60 : at >= HOUR && at < HOUR + 1500 ? 43 : 0,
      GPS_SPEED: drive.isDriving(at) ? 60 : 0,
      ...drive.fix(at),
    })),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: '[D-TRIP-14, D-TRIP-03] the line of a drive across the 180th meridian goes the short way',
    sent: every(10, 0, 3000, at => ({ ...crossing.ignition(at), POSITION: eastward(at) })),
    trips: crossing.drives(),
    reads: ({ trips }) => {
      const value = trips[0]?.aggregations.find(({ aggregationType }) => aggregationType === 'POLYLINE')?.value
      const lons = positionsOf(String(value)).map(({ lon }) => lon)
      const steps = lons.slice(1).map((lon, index) => Math.abs(lon - (lons[index] ?? Number.NaN)))
      return { goesBeyond180: Math.max(...lons) > 180, isUnbroken: Math.max(...steps) < 0.1 }
    },
    as: { goesBeyond180: true, isUnbroken: true },
  },
])
