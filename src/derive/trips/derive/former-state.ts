import type { Position, Sample } from '../../../model/sample.ts'
import { NOT_CALIBRATED } from './calibration.ts'
import type { FoldState } from './fold.ts'
import type { Measured } from './measured.ts'
import type { MeterReadings } from './meters.ts'
import type { Odometer } from './odometer.ts'
import { type OpenTrip, type Pause } from './open-trip.ts'
import type { Place } from './place.ts'
import type { Power } from './power.ts'
import { nothingKnown } from './progress.ts'
import type { Route } from './route.ts'
import { MOTION_DISPLACEMENT_M } from './rules.ts'
import { stayFrom } from './stay.ts'
import type { Cause, OpeningRule, VinRun } from './trip.ts'

/**
 * States in the format of the version before, so that current trips survive an upgrade. What that version did not store starts from
 * nothing; the history is folded again in the background. This file can go when no database of that version is left.
 */
export const FORMER_VERSION = 1

type FormerPosition = readonly [lon: number, lat: number]
type FormerWord = readonly [isOn: 0 | 1, silentDays: number, lastDay: number]
type FormerPlace = readonly [position: FormerPosition, firstMs: number, lastMs: number, suspects: unknown]
type FormerSpeed = readonly [kmh: number | null, timeMs: number, blindM: number, blindMs: number, drivenM: number]
type FormerPath = readonly [
  hasFix: 0 | 1,
  countedM: number,
  counted: FormerPosition | null,
  openM: number,
  isStanding: 0 | 1,
  first: FormerPosition | null,
  reachM: number,
]
type FormerMeasured<Meters, PackedRoute> = readonly [
  startMs: number,
  endMs: number,
  startPosition: FormerPosition | null,
  endPosition: FormerPosition | null,
  speed: FormerSpeed,
  path: FormerPath,
  odometer: readonly (number | null)[] | null,
  meters: Meters,
  route: PackedRoute,
  isTrip: 0 | 1,
]
type FormerTrip<Meters, PackedRoute> = readonly [
  opened: readonly [rule: OpeningRule, timeMs: number],
  measured: FormerMeasured<Meters, PackedRoute>,
  pause: readonly [rule: Pause['rule'], sinceMs: number, FormerMeasured<Meters, PackedRoute>, isSettled: 0 | 1] | null,
]

/** A state in JSON. */
export type FormerState<Meters, PackedRoute, PackedVinRun, PackedSample> = readonly [
  version: number,
  progress: readonly [
    lastMs: number | null,
    power: readonly [ignition: FormerWord | null, engine: FormerWord | null, isUnplugged: 0 | 1],
    isMoving: 0 | 1,
    place: FormerPlace | null,
    trip: FormerTrip<Meters, PackedRoute> | null,
    boundaryMs: number | null,
    vinRun: PackedVinRun | null,
  ],
  newest: PackedSample | null,
]

/** The parts whose format has not changed. */
interface UnchangedParts<Meters, PackedRoute, PackedVinRun, PackedSample> {
  readonly meters: (packed: Meters) => MeterReadings
  readonly route: (packed: PackedRoute) => Route
  readonly vinRun: (packed: PackedVinRun) => VinRun
  readonly sample: (packed: PackedSample) => Sample
}

/** Converts a state of the version before. */
export function fromFormerState<Meters, PackedRoute, PackedVinRun, PackedSample>(
  [, packed, newest]: FormerState<Meters, PackedRoute, PackedVinRun, PackedSample>,
  unchanged: UnchangedParts<Meters, PackedRoute, PackedVinRun, PackedSample>,
): FoldState {
  const [lastMs, power, isMoving, place, trip, boundaryMs, vinRun] = packed
  const known = place ? placeOf(place) : undefined
  return {
    progress: {
      ...nothingKnown(),
      lastMs: lastMs ?? undefined,
      power: powerOf(power),
      isMoving: isMoving === 1,
      place: known,
      stay: known && stayFrom(known.position, known.firstMs),
      trip: trip ? tripOf(trip, lastMs, unchanged) : undefined,
      boundaryMs: boundaryMs ?? Number.NEGATIVE_INFINITY,
      vinRun: vinRun ? unchanged.vinRun(vinRun) : undefined,
    },
    held: [],
    newest: newest ? unchanged.sample(newest) : undefined,
  }
}

function positionOf([lon, lat]: FormerPosition): Position {
  return { lon, lat }
}

function placeOf([position, firstMs, lastMs]: FormerPlace): Place {
  return { position: positionOf(position), firstMs, lastMs, rival: undefined }
}

function powerOf([ignition, engine, isUnplugged]: readonly [FormerWord | null, FormerWord | null, 0 | 1]): Power {
  const wordOf = ([isOn, silentDays, lastDay]: FormerWord) => ({ isOn: isOn === 1, silentDays, lastDay })
  return {
    ignition: ignition ? wordOf(ignition) : undefined,
    engine: engine ? wordOf(engine) : undefined,
    isIgnitionDoubted: false,
    electricMs: 0,
    isUnplugged: isUnplugged === 1,
  }
}

function tripOf<Meters, PackedRoute>(
  [[rule, openedMs], measured, pause]: FormerTrip<Meters, PackedRoute>,
  lastMs: number | null,
  unchanged: Pick<UnchangedParts<Meters, PackedRoute, never, never>, 'meters' | 'route'>,
): OpenTrip {
  const opened: Cause<OpeningRule> = { rule, timeMs: openedMs }
  const movedMs = lastMs ?? openedMs
  return {
    opened,
    measured: measuredOf(measured, unchanged),
    pause: pause
      ? { rule: pause[0], sinceMs: pause[1], measured: measuredOf(pause[2], unchanged), isSettled: pause[3] === 1 }
      : undefined,
    movedMs,
    toldMs: movedMs,
    idle: undefined,
    holdsUntilMs: Number.NEGATIVE_INFINITY,
  }
}

function measuredOf<Meters, PackedRoute>(
  packed: FormerMeasured<Meters, PackedRoute>,
  unchanged: Pick<UnchangedParts<Meters, PackedRoute, never, never>, 'meters' | 'route'>,
): Measured {
  const [startMs, endMs, startPosition, endPosition, speed, path, odometer, meters, route, isTrip] = packed
  const [kmh, speedMs, blindM, blindMs, drivenM] = speed
  const [hasFix, countedM, counted, openM, isStanding, first, reachM] = path
  const fixMark = { timeMs: endMs - blindMs, drivenM: drivenM - blindM, toldMs: 0, varianceM2: 0 }
  return {
    startMs,
    endMs,
    endPosition: endPosition ? positionOf(endPosition) : undefined,
    speed: {
      kmh: kmh ?? undefined,
      timeMs: speedMs,
      awakeMs: kmh === null ? 0 : speedMs,
      meanMs: 0,
      drivenM,
      toldMs: blindMs,
      varianceM2: 0,
      wheelM: drivenM,
    },
    track: {
      startMs,
      startPosition: startPosition ? positionOf(startPosition) : undefined,
      path: {
        hasFix: hasFix === 1,
        countedM,
        varianceM2: 0,
        counted: counted ? positionOf(counted) : undefined,
        countedMark: fixMark,
        openM,
        openVarianceM2: 0,
        fixMark,
        headingRad: undefined,
        isStanding: isStanding === 1,
        first: first ? positionOf(first) : undefined,
        reachM,
        provenAtM: MOTION_DISPLACEMENT_M,
      },
      route: unchanged.route(route),
      fixCount: 0,
    },
    otherTrack: undefined,
    odometer: odometer ? odometerOf(odometer) : undefined,
    calibration: NOT_CALIBRATED,
    meters: unchanged.meters(meters),
    couldTell: true,
    hasMoved: isTrip === 1,
    isTrip: isTrip === 1,
  }
}

function odometerOf(packed: readonly (number | null)[]): Odometer {
  const at = (index: number) => packed[index] ?? 0
  return {
    firstKm: at(0),
    lastKm: at(1),
    lastMs: at(2),
    firstPathM: at(3),
    firstChangeKm: packed[4] ?? undefined,
    firstChangePathM: at(5),
    lastChangePathM: at(6),
    lastPathM: at(7),
    resolutionM: at(8),
    jumps: 0,
    settledM: at(9),
    settledOdometerM: at(10),
  }
}
