import { type Sample } from '../../model/sample.ts'
import {
  type Codec,
  fixed,
  flag,
  instant,
  list,
  number,
  type Origin,
  optional,
  plain,
  position,
  record,
  type ValueOf,
} from './codec.ts'

/** The state of the fold of one dongle: type, copies and text follow from one declaration (codec.ts). Records change in
 * place; what is fixed is replaced as a whole. Instants are milliseconds since 1970. */

/** 'data after a gap': the ignition was on before and still is; or the car woke up, and motion followed. */
export type OpeningRule = 'ignition on' | 'engine on' | 'motion' | 'data after a gap'
export type ClosingRule = 'ignition off' | 'engine off' | 'no motion' | 'gap without data' | 'unplugged'

/** Why a trip began or ended, and with which sample: how an operator settles a dispute. */
export interface Cause<Rule extends string> {
  readonly rule: Rule
  /** The instant of the sample that decided it. */
  readonly timeMs: number
}

// Ignition and engine.

const LAST_WORD = fixed(
  record({
    isOn: flag,
    /** Days (UTC) with data but without the word since, and the last of them, counted from 1970. */
    silentDays: number,
    lastDay: number,
  }),
)
/** The last report of ignition or engine; it holds until there is another one. */
export type LastWord = ValueOf<typeof LAST_WORD>

const POWER = fixed(
  record({
    ignition: optional(LAST_WORD),
    engine: optional(LAST_WORD),
    /** The ignition stayed on through an hour without motion: it is taken to be wired on, until it is reported off. */
    isIgnitionDoubted: flag,
    /** How long the car was seen to move with its engine off, up to what makes it a hybrid. */
    electricMs: number,
    /** The dongle reported that it is out of its socket. */
    isUnplugged: flag,
  }),
)
/** Whose word on driving counts (decisions.md, *Trips*): the ignition's, else the engine's, else there is motion. */
export type Power = ValueOf<typeof POWER>

// Where the dongle is.

const RIVAL_PLACE = fixed(
  record({
    /** The last fix there, and the first. */
    position,
    firstPosition: position,
    firstMs: instant,
    lastMs: instant,
    /** Different fixes in a row. */
    count: number,
    /** A car could have come there, if a fast one. */
    isPossible: flag,
    /** A place believed before: until then it may prove never to have been left. undefined: may be believed yet. */
    formerUntilMs: optional(instant),
  }),
)
/** Another place from which fixes came that agree with each other, but not with the place believed. */
export type RivalPlace = ValueOf<typeof RIVAL_PLACE>

const BELIEVED_PLACE = fixed(
  record({
    position,
    /** When the receiver first and last reported exactly this fix. */
    firstMs: instant,
    lastMs: instant,
    rival: optional(RIVAL_PLACE),
  }),
)
/** Where the dongle is: the last fix believed. */
export type BelievedPlace = ValueOf<typeof BELIEVED_PLACE>

const FIX_CLUSTER = record({
  /** The mean of the fixes within the radius, because a single fix may be off to the side; their number and their scatter. */
  middle: position,
  count: number,
  scatterM: number,
  /** When the first fix there was, and when the car arrived, as far as fixes show. */
  sinceMs: instant,
  arrivedMs: instant,
  /** The last fix there. */
  inside: position,
  insideMs: instant,
  /** The first fix outside since; undefined while the last fix is inside. */
  outside: optional(fixed(record({ position, timeMs: instant }))),
  /** The fix outside around which the last ones lie: the next cluster, if more follow. */
  next: optional(
    fixed(
      record({
        position,
        timeMs: instant,
        arrivedMs: instant,
      }),
    ),
  ),
  /** From where it crept here, and when; undefined if it came in another way. */
  left: optional(fixed(record({ position, timeMs: instant }))),
})
/** The last fixes lie around here. A standing car keeps its cluster; a driving one has a new one every hundred metres. */
export type FixCluster = ValueOf<typeof FIX_CLUSTER>

// The odometer.

const LAST_ODOMETER = fixed(record({ km: number, timeMs: instant, sinceMs: instant }))
/** The last reading, and since when it has been the same. */
export type LastOdometer = ValueOf<typeof LAST_ODOMETER>

const CALIBRATION = fixed(record({ reportedM: number, foundM: number }))
/** The distance by an instrument of the car, and as it was found to be, of one trip or several. Whole metres. */
export type Calibration = ValueOf<typeof CALIBRATION>

const TRIP_ODOMETER = record({
  /** First and last reading, in kilometres, as if it had never jumped in between. */
  firstKm: number,
  lastKm: number,
  lastMs: instant,
  /** Its first change (undefined before there is one), and metres along the path up to there. */
  firstChangeKm: optional(number),
  firstStepM: number,
  /** Metres along the path at its last change, and at the last reading. */
  lastChangePathM: number,
  lastPathM: number,
  /** The coarsest step that the readings allow for, in metres. */
  resolutionM: number,
  jumps: number,
  /** Metres along the path before the first reading, and across jumps: it says nothing of them. */
  besideM: number,
  /** The last reading with a fix, and metres along the path then. */
  seenKm: number,
  seenPathM: number,
})
/** The odometer during a trip. With few digits it is exact only when it changes: positions
 * complete what lies outside. */
export type TripOdometer = ValueOf<typeof TRIP_ODOMETER>

// Measurements of a trip.

const SPEED_SUMS = record({
  kmh: optional(number),
  timeMs: instant,
  /** The last speed that the car itself reported on average: only while it is awake. */
  awakeMs: instant,
  /** The last mean that is one indeed. */
  meanMs: instant,
  /** Since when it has been the same. */
  heldSinceMs: instant,
  /** Metres since the trip began, those of a speed that stayed the same for minutes, for how long a speed was reported, and the squared standard error. */
  drivenM: number,
  heldM: number,
  reportedMs: number,
  varianceM2: number,
  /** Of these, metres that the car itself reported. */
  wheelM: number,
})
/** The speed that car or receiver report, summed up over a trip. */
export type SpeedSums = ValueOf<typeof SPEED_SUMS>

const SPEED_MARK = fixed(
  record({ timeMs: instant, drivenM: number, heldM: number, reportedMs: number, varianceM2: number }),
)
export type SpeedMark = ValueOf<typeof SPEED_MARK>

const STRETCH = record({
  /** Where its last part without a sharp turn began, and how far the fixes of such a part got. */
  runFrom: optional(position),
  reachM: number,
  /** By the lines between fixes with their detours; by speed; by both. */
  chordsM: number,
  chordsVarianceM2: number,
  speedM: number,
  speedVarianceM2: number,
  bothM: number,
  /** No road between the fixes is shorter, and none is longer. */
  leastM: number,
  mostM: number,
})
/** Measures of a piece of a path that are judged together. */
export type Stretch = ValueOf<typeof STRETCH>

const PATH = record({
  hasFix: flag,
  countedM: number,
  /** Squared standard error of what is counted. */
  varianceM2: number,
  /** Up to where the path is counted, and the sums of speed there. */
  counted: optional(position),
  countedMark: SPEED_MARK,
  /** The stretch up to there that is not judged for good; the sums of speed at the last fix. */
  stretch: STRETCH,
  fixMark: SPEED_MARK,
  /** Of what is judged: metres by speed, and as they were found to be. */
  reportedM: number,
  foundM: number,
  /** Direction of the last step, from east to north; undefined before there is one. */
  headingRad: optional(number),
  isStanding: flag,
  /** Where the path began, and how far from there the car got. */
  first: optional(position),
  reachM: number,
  /** So far from there it surely left, and so many fixes say that it did: different ones, or one that says that the car moves. */
  provenAtM: number,
  awayCount: number,
})
/** The length of a trip by positions and by speed over time. */
export type Path = ValueOf<typeof PATH>

/** The directions that pass every point dropped: `low` and `high` are differences from `middle`, in radians. */
const SECTOR = fixed(record({ middle: number, low: number, high: number }))

const ROUTE = record({
  /** How many characters are stored with the trip's row, a hash of them, and the final ones after them. */
  kept: number,
  keptHash: number,
  final: plain<string>(),
  isEmpty: flag,
  /** The last final point, and the newest one: the end of the line until another takes its place. */
  lat: number,
  lon: number,
  newestLat: number,
  newestLon: number,
  /** Of a line from the last final point; undefined for all directions. */
  sector: optional(SECTOR),
  /** Distance of the farthest point since the last final one. */
  farthestM: number,
})
/** The route of a trip as an encoded polyline that grows. Points are whole hundred thousandths of a degree. */
export type Route = ValueOf<typeof ROUTE>

const TRACK = record({
  startMs: instant,
  startPosition: optional(position),
  path: PATH,
  route: ROUTE,
  /** Positions that counted: of two dongles in one car, the one with more of them measured better. */
  fixCount: number,
})
/** Path and route by the positions of a trip: those of the place that is believed, or those of another one. */
export type Track = ValueOf<typeof TRACK>

const MEASURED = record({
  startMs: instant,
  endMs: instant,
  endPosition: optional(position),
  speed: SPEED_SUMS,
  /** By the positions that are believed. */
  track: TRACK,
  /** By those of another place, as long as it may turn out to be the true one. */
  otherTrack: optional(TRACK),
  odometer: optional(TRIP_ODOMETER),
  /** Of the odometer, by the trips before; and by how much its speed must be multiplied. */
  calibration: CALIBRATION,
  speedScale: number,
  /** First and last reading of each of METER_TYPES, in that order. */
  meters: list(optional(plain<readonly [first: number, last: number]>())),
  /** Something could show whether the car moved, and something showed that it did. */
  couldTell: flag,
  hasMoved: flag,
  /** Long enough to be a trip: once it was, it stays one. */
  isTrip: flag,
})
/** The measurements of a trip, from its begin up to a sample. */
export type Measured = ValueOf<typeof MEASURED>

// The trip that is on.

const PAUSE = fixed(
  record({
    rule: plain<'ignition off' | 'engine off' | 'no motion'>(),
    sinceMs: instant,
    /** The ended trip, if it is over. */
    measured: fixed(MEASURED),
    /** `measured` includes a reading of standstill, so later readings do not belong to it. */
    isSettled: flag,
  }),
)
/** The car stands and the trip may be over. */
export type Pause = ValueOf<typeof PAUSE>

const OPEN_TRIP = record({
  opened: fixed(record({ rule: plain<OpeningRule>(), timeMs: instant })),
  /** Up to the last sample, including pauses; counts if the trip continues. */
  measured: MEASURED,
  pause: optional(PAUSE),
  /** When motion was last evident or could not be observed; and when it could last be observed. */
  movedMs: instant,
  observedMs: instant,
  /** The trip up to the last motion, kept once that was minutes ago with the ignition on; counts if the car never moves again. */
  idle: optional(fixed(MEASURED)),
  /** Until then, motion shown by fixes or odometer holds as long as nothing else is reported. */
  holdsUntilMs: instant,
})
/** The trip, or what may become one, that the dongle is in. */
export type OpenTrip = ValueOf<typeof OPEN_TRIP>

const ENDED_TRIP = fixed(
  record({
    opened: fixed(record({ rule: plain<OpeningRule>(), timeMs: instant })),
    measured: fixed(MEASURED),
    closed: fixed(record({ rule: plain<ClosingRule>(), timeMs: instant })),
  }),
)
/** A trip that is over. */
export type EndedTrip = ValueOf<typeof ENDED_TRIP>

const VIN_RUN = fixed(
  record({
    vin: plain<string>(),
    firstMs: instant,
    /** Minus infinity when nothing before ended. */
    boundaryMs: instant,
    /** Read at least twice. */
    isConfirmed: flag,
  }),
)
/** Readings of one VIN in a row. Once believed, the dongle came at `boundaryMs`, the last unplug or trip end before
 * them (decisions.md, *Vehicles and devices*). */
export type VinRun = ValueOf<typeof VIN_RUN>

const PROGRESS = record({
  /** The last sample folded. */
  lastMs: optional(instant),
  power: POWER,
  /** The last IS_MOVING, as long as it holds. */
  isMoving: flag,
  /** How long the dongle is usually silent while the car drives; undefined before it was seen. */
  cadenceMs: optional(number),
  /** While no interval of driving is known: the last one of the parked car, which reports no more often than one that drives. */
  parkedMs: optional(number),
  /** The last sample before those that reported nothing but ignition or engine; undefined if the last one reported more. */
  beforeWordMs: optional(instant),
  /** Since then it was never silent for longer: a parked dongle reports more rarely, so the car may have driven from here on. */
  busySinceMs: optional(instant),
  place: optional(BELIEVED_PLACE),
  cluster: optional(FIX_CLUSTER),
  /** How long the car's speed has shown driving since the last new fix. */
  blindMs: number,
  /** When the car last reported its speed. */
  awakeMs: optional(instant),
  odometer: optional(LAST_ODOMETER),
  /** The odometer when the last fix was believed; undefined if it had not been read. */
  fixOdometerKm: optional(number),
  /** Of the last trips: of the odometer, and of the speed. */
  calibrations: list(CALIBRATION),
  speedCalibrations: list(CALIBRATION),
  trip: optional(OPEN_TRIP),
  /** The last unplug or trip end; minus infinity before there is one. */
  boundaryMs: instant,
  vinRun: optional(VIN_RUN),
  /** The last trips that ended, oldest first, while later fixes may still show that one of them was at another place. */
  undecided: list(ENDED_TRIP),
})
/** All knowledge of a dongle after some samples. Changed in place by each of them. */
export type Progress = ValueOf<typeof PROGRESS>

/** The state of the fold of one dongle. `parseState` reads back exactly what `serialiseState` writes. */
export interface FoldState {
  /** After all samples but the newest and those that are pending. */
  readonly progress: Progress
  /** Samples that wait for the next fix, oldest first (doubtful-fixes.ts). The state of a checkpoint has none. */
  readonly pending: readonly Sample[]
  /** The newest sample: not folded yet, because its instant may still come in pieces. The state of a checkpoint has none. */
  readonly newest: Sample | undefined
  /** The states of other facts, before the pending samples (`foldDevice`), as JSON; undefined if there are none. */
  readonly parts?: string | undefined
}

const SAMPLE: Codec<Sample> = fixed(
  record<Sample>({ deviceId: plain(), timeMs: instant, types: plain(), numbers: plain(), texts: plain() }),
)

/** Copies share nothing with the original that changes in place. */
export const { copy: copyOfProgress } = PROGRESS
export const { copy: copyOfMeasured } = MEASURED
export const { copy: copyOfTrack } = TRACK

export function nothingKnown(): Progress {
  return {
    lastMs: undefined,
    power: POWER_UNKNOWN,
    isMoving: false,
    cadenceMs: undefined,
    parkedMs: undefined,
    beforeWordMs: undefined,
    busySinceMs: undefined,
    place: undefined,
    cluster: undefined,
    blindMs: 0,
    awakeMs: undefined,
    odometer: undefined,
    fixOdometerKm: undefined,
    calibrations: [],
    speedCalibrations: [],
    trip: undefined,
    boundaryMs: -Infinity,
    vinRun: undefined,
    undecided: [],
  }
}

export const POWER_UNKNOWN: Power = {
  ignition: undefined,
  engine: undefined,
  isIgnitionDoubted: false,
  electricMs: 0,
  isUnplugged: false,
}

// The text of a state.

/** Changes with the fields: a state of another version is not read as one of this. */
const VERSION = 3

type StateText = readonly [
  version: number,
  originMs: number,
  originPlace: readonly [lon: number, lat: number] | null,
  progress: unknown,
  newest: unknown,
  pending: unknown,
]

const NEWEST = optional(SAMPLE)
const PENDING = list(SAMPLE)

/** Equal states give equal texts. */
export function serialiseState({ progress, pending, newest, parts }: FoldState): string {
  const here = progress.place?.position
  const origin: Origin = { timeMs: progress.lastMs ?? 0, position: here }
  const text: StateText = [
    VERSION,
    origin.timeMs,
    here ? [here.lon, here.lat] : null,
    PROGRESS.pack(progress, origin),
    NEWEST.pack(newest, origin),
    PENDING.pack(pending, origin),
  ]
  return withParts(JSON.stringify(text), parts)
}

/** The text of a state in which nothing is known of parts, with what they know: on a line of its own. */
export function withParts(text: string, parts: string | undefined): string {
  return parts === undefined ? text : `${text}\n${parts}`
}

/** @throws when the text was not written by `serialiseState`. */
export function parseState(text: string): FoldState {
  const [ofTrips = '', parts] = text.split('\n')
  const [version, originMs, here, progress, newest, pending] = JSON.parse(ofTrips) as StateText
  if (version !== VERSION) throw new Error(`a state of the fold of version ${String(version)} cannot be read`)
  const origin: Origin = { timeMs: originMs, position: here ? { lon: here[0], lat: here[1] } : undefined }
  return {
    progress: PROGRESS.unpack(progress, origin),
    pending: PENDING.unpack(pending, origin),
    newest: NEWEST.unpack(newest, origin),
    parts,
  }
}
