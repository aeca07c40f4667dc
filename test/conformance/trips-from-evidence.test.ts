import { car, every, off, onRoad } from './made-up-drives.ts'
import { testScenarios } from './scenario.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE

const drive = car([600, 2400])
const parked = car()
/** 30 km, with a stop of half an hour in between. */
const jam = car([600, 1500], [3300, 4200])
/** Drives on two days. */
const commute = car([3 * HOUR, 3.5 * HOUR], [26 * HOUR, 26.5 * HOUR], [28 * HOUR, 29 * HOUR])
const ON = { IS_IGNITION_ON: true }
const OFF = { IS_IGNITION_ON: false }
/** The engine of a hybrid: on for two of every six minutes while the car drives. */
const hybrid = (at: number) => ({ ENGINE_STATE: drive.isDriving(at) && (at - 600) % 360 < 120 })
/** A hybrid that starts on its battery, and uses its engine for four minutes only. */
const electric = (at: number) => ({ ENGINE_STATE: at >= 1500 && at < 1740 })
const speedAndFix = (at: number) => ({ ...drive.carSpeed(at), ...drive.fix(at) })

/** What a receiver with a bad antenna reports of a parked car: fixes anywhere within 75 m, and matching speeds. */
function jitter(at: number) {
  const [away, turn, speed] = [1, 2, 3].map(kind => chance(at * 10 + kind))
  const angle = 2 * Math.PI * (turn ?? 0)
  const offM = 75 * (away ?? 0)
  return {
    POSITION: off(onRoad(0), offM * Math.cos(angle), offM * Math.sin(angle)),
    GPS_SPEED: Math.round(15 * (speed ?? 0)),
  }
}

/** From 0 to 1: the same for the same number, and very different for the next one. */
function chance(of: number): number {
  const mixed = Math.imul(of ^ (of >>> 15), 0x2c1b3c6d)
  const again = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((again ^ (again >>> 15)) >>> 0) / 0xffff_ffff
}

// All evidence together decides whether the car drives.
testScenarios([
  {
    title: '[D-TRIP-06] ENGINE_STATE false ends no trip while a hybrid moves',
    sent: every(10, 0, 4000, at => ({ ...hybrid(at), ...speedAndFix(at) })),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: '[D-TRIP-06] a hybrid that drives off on its battery',
    sent: every(10, 0, 4000, at => ({ ...electric(at), ...speedAndFix(at) })),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: '[D-TRIP-06] a hybrid whose engine never starts, with an odometer and no positions',
    sent: every(10, 0, 4000, at => ({ ENGINE_STATE: false, ...drive.carSpeed(at), ...drive.odometer(at) })),
    trips: drive.drives(),
  },
  {
    title: '[D-TRIP-06] ENGINE_STATE false ends the trip of a car that stands',
    sent: every(10, 0, 4000, at => ({ ENGINE_STATE: drive.isDriving(at), ...speedAndFix(at) })),
    trips: drive.drives({ withinS: 10 }),
    road: drive.road,
  },
  {
    title: '[D-TRIP-06] towed with the engine off is no trip',
    sent: every(10, 0, 4000, at => ({ ENGINE_STATE: false, ...drive.gpsSpeed(at), ...drive.fix(at) })),
    trips: [],
  },
  {
    title: '[D-TRIP-01] carried on a ferry with the ignition off is no trip',
    sent: every(10, 0, 4000, at => ({ ...OFF, ...drive.gpsSpeed(at), ...drive.fix(at) })),
    trips: [],
  },
  {
    title: '[D-TRIP-07] IS_MOVING by vibration does not count against a speed of 0 and an unmoved fix',
    sent: every(10, 0, 3 * HOUR, at => ({ IS_MOVING: true, GPS_SPEED: 0, ...parked.fix(at) })),
    trips: [],
  },
  {
    title: '[D-TRIP-07] nor does it go on with a drive for hours',
    sent: every(10, 0, 3 * HOUR, at => ({ IS_MOVING: at >= 600, ...drive.gpsSpeed(at), ...drive.fix(at) })),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title:
      '[D-TRIP-05, D-TRIP-12] a receiver that wanders by 75 m and reports speeds while the car is parked makes no trip',
    sent: every(10, 0, 8 * HOUR, jitter),
    trips: [],
  },
  {
    title: '[D-TRIP-12] a car that charges for hours with the ignition on',
    sent: every(60, 0, 6 * HOUR, at => ({
      IS_IGNITION_ON: at >= HOUR && at < 5 * HOUR,
      ...parked.fix(at),
      GPS_SPEED: 0,
    })),
    trips: [],
  },
  {
    title: '[D-TRIP-12] charging after a drive is not the drive',
    sent: every(10, 0, 4 * HOUR, at => ({
      IS_IGNITION_ON: drive.isDriving(at) || (at >= HOUR && at < 3 * HOUR),
      ...drive.fix(at),
    })),
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: '[D-TRIP-12] 40 s of ignition without moving',
    sent: every(10, 0, 1200, at => ({
      IS_IGNITION_ON: at >= 300 && at < 340,
      ...parked.fix(at),
      ...parked.odometer(at),
    })),
    trips: [],
  },
  {
    title: '[D-TRIP-11] moved out of the way: shorter than 30 s and 100 m',
    sent: every(5, 0, 1200, at => ({
      IS_IGNITION_ON: at >= 300 && at < 325,
      POSITION: onRoad(at < 305 ? 0 : Math.min(at - 305, 20) * 3),
    })),
    trips: [],
  },
  {
    title: '[D-TRIP-13] with the ignition on and no motion for an hour, the trip ended with the last motion',
    sent: { ...every(10, 0, 5 * HOUR, at => ({ IS_IGNITION_ON: at >= 600, ...drive.fix(at) })), [5 * HOUR + 10]: OFF },
    trips: drive.drives(),
    road: drive.road,
  },
  {
    title: '[D-TRIP-13] half an hour in a jam with the ignition on is part of the drive',
    sent: every(10, 0, 2 * HOUR, at => ({ IS_IGNITION_ON: at >= 600 && at < 4200, ...jam.fix(at) })),
    trips: [{ from: 600, to: 4200, km: 30 }],
    road: jam.road,
  },
  {
    title: '[D-TRIP-13] ignition that is wired on: the drives of two days are not one trip',
    sent: every(30, 0, 48 * HOUR, at => ({ ...ON, ...commute.carSpeed(at), ...commute.fix(at) })),
    trips: commute.drives(),
    road: commute.road,
  },
])
