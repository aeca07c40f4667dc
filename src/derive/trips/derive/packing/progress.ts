import type { Power, Word } from '../power.ts'
import type { Progress } from '../progress.ts'
import { packCalibration, unpackCalibration } from './measured.ts'
import { packPlace, packStay, unpackPlace, unpackStay } from './place.ts'
import { packTrip, packVinRun, unpackTrip, unpackVinRun } from './trip.ts'
import { flagOf, isSet, type Packed, packInstant, packSince, unpackInstant, unpackSince } from './values.ts'

const packWord = (word: Word) => [flagOf(word.isOn), word.silentDays, word.lastDay] as const
const unpackWord = ([isOn, silentDays, lastDay]: Packed<typeof packWord>): Word => ({
  isOn: isSet(isOn),
  silentDays,
  lastDay,
})

const packPower = ({ ignition, engine, isIgnitionDoubted, electricMs, isUnplugged }: Power) =>
  [
    ignition ? packWord(ignition) : null,
    engine ? packWord(engine) : null,
    flagOf(isIgnitionDoubted),
    electricMs,
    flagOf(isUnplugged),
  ] as const
const unpackPower = (packed: Packed<typeof packPower>): Power => ({
  ignition: packed[0] ? unpackWord(packed[0]) : undefined,
  engine: packed[1] ? unpackWord(packed[1]) : undefined,
  isIgnitionDoubted: isSet(packed[2]),
  electricMs: packed[3],
  isUnplugged: isSet(packed[4]),
})

const packLastOdometer = ({ km, timeMs, sinceMs }: NonNullable<Progress['odometer']>, originMs: number) =>
  [km, timeMs - originMs, sinceMs - originMs] as const
const unpackLastOdometer = ([km, timeMs, sinceMs]: Packed<typeof packLastOdometer>, originMs: number) => ({
  km,
  timeMs: timeMs + originMs,
  sinceMs: sinceMs + originMs,
})

type PackedProgress = readonly [
  ...Packed<typeof packKnown>,
  parkedMs?: number | null,
  beforeWordMs?: number | null,
  fixOdometerKm?: number | null,
]

/**
 * What is rarely known is left out otherwise: `parkedMs` once the car drives, `beforeWordMs` unless a word came alone,
 * `fixOdometerKm` unless the odometer counted on since the last fix. Without a fix there is none.
 */
export const packProgress = (progress: Progress): PackedProgress => {
  const packed = packKnown(progress)
  const { parkedMs, beforeWordMs, lastMs, place, odometer, fixOdometerKm } = progress
  const wordMs = packSince(beforeWordMs, lastMs ?? 0)
  if (place && fixOdometerKm !== odometer?.km) return [...packed, parkedMs ?? null, wordMs, fixOdometerKm ?? null]
  if (wordMs !== null) return [...packed, parkedMs ?? null, wordMs]
  return parkedMs === undefined ? packed : [...packed, parkedMs]
}

const packKnown = (progress: Progress) => {
  const { lastMs, place, stay, odometer, trip, vinRun } = progress
  const originMs = lastMs ?? 0
  const origin = { timeMs: originMs, position: place?.position }
  return [
    lastMs ?? null,
    packPower(progress.power),
    flagOf(progress.isMoving),
    progress.cadenceMs ?? null,
    packSince(progress.busySinceMs, originMs),
    place ? packPlace(place, originMs) : null,
    stay ? packStay(stay, origin) : null,
    progress.blindMs,
    packSince(progress.awakeMs, originMs),
    odometer ? packLastOdometer(odometer, originMs) : null,
    progress.calibrations.map(packCalibration),
    trip ? packTrip(trip, origin) : null,
    packInstant(progress.boundaryMs - originMs),
    vinRun ? packVinRun(vinRun) : null,
  ] as const
}

/** @param isByOrigin instants are written as the time since the last sample; else as they are. */
export const unpackProgress = (packed: PackedProgress, isByOrigin: boolean): Progress => {
  const originMs = isByOrigin ? (packed[0] ?? 0) : 0
  const place = packed[5] ? unpackPlace(packed[5], originMs) : undefined
  const origin = { timeMs: originMs, position: place?.position }
  const odometer = packed[9] ? unpackLastOdometer(packed[9], originMs) : undefined
  return {
    lastMs: packed[0] ?? undefined,
    power: unpackPower(packed[1]),
    isMoving: isSet(packed[2]),
    cadenceMs: packed[3] ?? undefined,
    parkedMs: packed[14] ?? undefined,
    beforeWordMs: unpackSince(packed[15] ?? null, originMs),
    busySinceMs: unpackSince(packed[4], originMs),
    place,
    stay: packed[6] ? unpackStay(packed[6], origin) : undefined,
    blindMs: packed[7],
    awakeMs: unpackSince(packed[8], originMs),
    odometer,
    fixOdometerKm: place && (packed[16] === undefined ? odometer?.km : (packed[16] ?? undefined)),
    calibrations: packed[10].map(unpackCalibration),
    trip: packed[11] ? unpackTrip(packed[11], origin) : undefined,
    boundaryMs: unpackInstant(packed[12]) + originMs,
    vinRun: packed[13] ? unpackVinRun(packed[13]) : undefined,
  }
}
