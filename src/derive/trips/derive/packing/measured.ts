import type { Calibration } from '../calibration.ts'
import type { Measured } from '../measured.ts'
import { type MeterReadings, noMeters, readingsOf } from '../meters.ts'
import type { Odometer } from '../odometer.ts'
import { METER_TYPES } from '../reading.ts'
import { packSpeed, packTrack, unpackSpeed, unpackTrack } from './track.ts'
import { flagOf, isSet, type Origin, type Packed, packNear, unpackNear } from './values.ts'

const packOdometer = (odometer: Odometer, originMs: number) =>
  [
    odometer.firstKm,
    odometer.lastKm,
    odometer.lastMs - originMs,
    odometer.firstPathM,
    odometer.firstChangeKm ?? null,
    odometer.firstChangePathM,
    odometer.lastChangePathM,
    odometer.lastPathM,
    odometer.resolutionM,
    odometer.jumps,
    odometer.settledM,
    odometer.settledOdometerM,
  ] as const
const unpackOdometer = (packed: Packed<typeof packOdometer>, originMs: number): Odometer => ({
  firstKm: packed[0],
  lastKm: packed[1],
  lastMs: packed[2] + originMs,
  firstPathM: packed[3],
  firstChangeKm: packed[4] ?? undefined,
  firstChangePathM: packed[5],
  lastChangePathM: packed[6],
  lastPathM: packed[7],
  resolutionM: packed[8],
  jumps: packed[9],
  settledM: packed[10],
  settledOdometerM: packed[11],
})

export const packMeters = (meters: MeterReadings) => METER_TYPES.map((_, meter) => readingsOf(meters, meter) ?? null)
export const unpackMeters = (packed: Packed<typeof packMeters>): MeterReadings => {
  const meters = noMeters()
  packed.forEach((readings, meter) => {
    if (readings) [meters[2 * meter], meters[2 * meter + 1]] = readings
  })
  return meters
}

export const packCalibration = ({ odometerM, pathM }: Calibration) => [odometerM, pathM] as const
export const unpackCalibration = ([odometerM, pathM]: Packed<typeof packCalibration>): Calibration => ({
  odometerM,
  pathM,
})

export const packMeasured = (measured: Measured, origin: Origin) =>
  [
    measured.startMs - origin.timeMs,
    measured.endMs - origin.timeMs,
    measured.endPosition ? packNear(measured.endPosition, origin) : null,
    packSpeed(measured.speed, origin.timeMs),
    packTrack(measured.track, measured.speed, origin),
    measured.otherTrack ? packTrack(measured.otherTrack, measured.speed, origin) : null,
    measured.odometer ? packOdometer(measured.odometer, origin.timeMs) : null,
    packCalibration(measured.calibration),
    packMeters(measured.meters),
    flagOf(measured.couldTell),
    flagOf(measured.hasMoved),
    flagOf(measured.isTrip),
  ] as const
export const unpackMeasured = (packed: Packed<typeof packMeasured>, origin: Origin): Measured => {
  const speed = unpackSpeed(packed[3], origin.timeMs)
  return {
    startMs: packed[0] + origin.timeMs,
    endMs: packed[1] + origin.timeMs,
    endPosition: packed[2] === null ? undefined : unpackNear(packed[2], origin),
    speed,
    track: unpackTrack(packed[4], speed, origin),
    otherTrack: packed[5] ? unpackTrack(packed[5], speed, origin) : undefined,
    odometer: packed[6] ? unpackOdometer(packed[6], origin.timeMs) : undefined,
    calibration: unpackCalibration(packed[7]),
    meters: unpackMeters(packed[8]),
    couldTell: isSet(packed[9]),
    hasMoved: isSet(packed[10]),
    isTrip: isSet(packed[11]),
  }
}
