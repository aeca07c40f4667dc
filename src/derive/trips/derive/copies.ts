import type { Measured } from './measured.ts'
import type { Odometer } from './odometer.ts'
import { type OpenTrip } from './open-trip.ts'
import type { Path } from './path.ts'
import type { Progress } from './progress.ts'
import type { Route } from './route.ts'
import type { Sector } from './simplify.ts'
import type { Speed } from './speed.ts'
import { type Stay } from './stay.ts'
import type { Track } from './track.ts'

/*
 * Copies that share nothing with the original that changes; whatever is replaced as a whole is shared. Field by field, in the
 * order in which the objects are made: V8 gives copies by spread another hidden class, which makes the whole fold twice as slow.
 */

export function copyOfProgress(progress: Progress): Progress {
  return {
    lastMs: progress.lastMs,
    power: progress.power,
    isMoving: progress.isMoving,
    cadenceMs: progress.cadenceMs,
    parkedMs: progress.parkedMs,
    beforeWordMs: progress.beforeWordMs,
    busySinceMs: progress.busySinceMs,
    place: progress.place,
    stay: progress.stay && copyOfStay(progress.stay),
    blindMs: progress.blindMs,
    awakeMs: progress.awakeMs,
    odometer: progress.odometer,
    fixOdometerKm: progress.fixOdometerKm,
    calibrations: progress.calibrations,
    trip: progress.trip && copyOfTrip(progress.trip),
    boundaryMs: progress.boundaryMs,
    vinRun: progress.vinRun,
  }
}

/** What a pause keeps does not change any more, nor what `idle` does. */
function copyOfTrip(trip: OpenTrip): OpenTrip {
  return {
    opened: trip.opened,
    measured: copyOfMeasured(trip.measured),
    pause: trip.pause,
    movedMs: trip.movedMs,
    toldMs: trip.toldMs,
    idle: trip.idle,
    holdsUntilMs: trip.holdsUntilMs,
  }
}

export function copyOfMeasured(measured: Measured): Measured {
  return {
    startMs: measured.startMs,
    endMs: measured.endMs,
    endPosition: measured.endPosition,
    speed: copyOfSpeed(measured.speed),
    track: copyOfTrack(measured.track),
    otherTrack: measured.otherTrack && copyOfTrack(measured.otherTrack),
    odometer: measured.odometer && copyOfOdometer(measured.odometer),
    calibration: measured.calibration,
    meters: measured.meters.slice(),
    couldTell: measured.couldTell,
    hasMoved: measured.hasMoved,
    isTrip: measured.isTrip,
  }
}

function copyOfSpeed(speed: Speed): Speed {
  return {
    kmh: speed.kmh,
    timeMs: speed.timeMs,
    awakeMs: speed.awakeMs,
    meanMs: speed.meanMs,
    drivenM: speed.drivenM,
    toldMs: speed.toldMs,
    varianceM2: speed.varianceM2,
    wheelM: speed.wheelM,
  }
}

export function copyOfTrack(track: Track): Track {
  return {
    startMs: track.startMs,
    startPosition: track.startPosition,
    path: copyOfPath(track.path),
    route: copyOfRoute(track.route),
    fixCount: track.fixCount,
  }
}

function copyOfPath(path: Path): Path {
  return {
    hasFix: path.hasFix,
    countedM: path.countedM,
    varianceM2: path.varianceM2,
    counted: path.counted,
    countedMark: path.countedMark,
    openM: path.openM,
    openVarianceM2: path.openVarianceM2,
    fixMark: path.fixMark,
    headingRad: path.headingRad,
    isStanding: path.isStanding,
    first: path.first,
    reachM: path.reachM,
    provenAtM: path.provenAtM,
  }
}

export function copyOfRoute(route: Route): Route {
  return {
    kept: route.kept,
    keptHash: route.keptHash,
    final: route.final,
    isEmpty: route.isEmpty,
    lat: route.lat,
    lon: route.lon,
    newestLat: route.newestLat,
    newestLon: route.newestLon,
    sector: copyOfSector(route.sector),
  }
}

function copyOfSector({ middle, low, high, farthestM }: Sector): Sector {
  return { middle, low, high, farthestM }
}

function copyOfOdometer(odometer: Odometer): Odometer {
  return {
    firstKm: odometer.firstKm,
    lastKm: odometer.lastKm,
    lastMs: odometer.lastMs,
    firstPathM: odometer.firstPathM,
    firstChangeKm: odometer.firstChangeKm,
    firstChangePathM: odometer.firstChangePathM,
    lastChangePathM: odometer.lastChangePathM,
    lastPathM: odometer.lastPathM,
    resolutionM: odometer.resolutionM,
    jumps: odometer.jumps,
    settledM: odometer.settledM,
    settledOdometerM: odometer.settledOdometerM,
  }
}

function copyOfStay(stay: Stay): Stay {
  return {
    middle: stay.middle,
    count: stay.count,
    scatterM: stay.scatterM,
    sinceMs: stay.sinceMs,
    arrivedMs: stay.arrivedMs,
    inside: stay.inside,
    insideMs: stay.insideMs,
    outside: stay.outside,
    outsideMs: stay.outsideMs,
    next: stay.next,
    nextMs: stay.nextMs,
    nextBeforeMs: stay.nextBeforeMs,
    nextArrivedMs: stay.nextArrivedMs,
    leftFrom: stay.leftFrom,
    leftMs: stay.leftMs,
  }
}
