import type { EventTypeId } from '../../catalogue/event-types.ts'
import type { DeviceId, Position, Sample } from '../../intake/sample.ts'
import type { OpenTrip, Pause } from './boundaries.ts'
import type { FoldState } from './fold.ts'
import type { Measured } from './measured.ts'
import type { MeterReadings } from './meters.ts'
import type { Odometer } from './odometer.ts'
import type { Path } from './path.ts'
import type { Place, Suspects } from './place.ts'
import type { Word } from './power.ts'
import type { Route } from './route.ts'
import { OPEN_SECTOR, type Sector } from './simplify.ts'
import type { Speed } from './speed.ts'
import type { Cause, OpeningRule, VinRun } from './trip.ts'

/**
 * States as JSON arrays without names, in the order of the fields written down once below for both directions. The
 * version is their first element: a state written in another order is not read as this one.
 */
const VERSION = 1

/** One thing to and from what JSON has. A missing one is null. */
interface Codec<Value, Packed = unknown> {
  readonly pack: (value: Value) => Packed
  readonly unpack: (packed: Packed) => Value
}

const plain = <Value>(): Codec<Value> => ({ pack: value => value, unpack: packed => packed as Value })

function optional<Value>(codec: Codec<Value>): Codec<Value | undefined> {
  return {
    pack: value => (value === undefined ? null : codec.pack(value)),
    unpack: packed => (packed === null ? undefined : codec.unpack(packed)),
  }
}

type Fields<Value> = { readonly [Key in keyof Value]-?: Codec<Value[Key]> }

/** The values of an object in the order of its fields here. */
function record<Value extends object>(fields: Fields<Value>): Codec<Value> {
  const keys = Object.keys(fields) as (keyof Value)[]
  const codecs = keys.map(key => fields[key] as Codec<unknown>)
  return {
    pack: value => keys.map((key, i) => codecs[i]?.pack(value[key])),
    unpack: packed => {
      const values = packed as readonly unknown[]
      const value: Partial<Record<keyof Value, unknown>> = {}
      keys.forEach((key, i) => {
        value[key] = codecs[i]?.unpack(values[i])
      })
      return value as Value
    },
  }
}

const number = plain<number>()
const text = plain<string>()
const flag: Codec<boolean> = { pack: value => (value ? 1 : 0), unpack: packed => packed === 1 }
/** JSON has no infinity. */
const sinceEver: Codec<number> = {
  pack: value => (value === -Infinity ? null : value),
  unpack: packed => (packed === null ? -Infinity : (packed as number)),
}

const position = record<Position>({ lon: number, lat: number })
const word = record<Word>({ isOn: flag, silentDays: number, lastDay: number })
const suspects = record<Suspects>({ position, firstMs: number, lastMs: number, count: number })
const place = record<Place>({ position, firstMs: number, lastMs: number, suspects: optional(suspects) })
const speed = record<Speed>({ kmh: optional(number), timeMs: number, blindM: number, blindMs: number, drivenM: number })
const path = record<Path>({
  hasFix: flag,
  countedM: number,
  counted: optional(position),
  openM: number,
  isStanding: flag,
  first: optional(position),
  reachM: number,
})
const odometer = record<Odometer>({
  firstKm: number,
  lastKm: number,
  lastMs: number,
  firstPathM: number,
  firstChangeKm: optional(number),
  firstChangePathM: number,
  lastChangePathM: number,
  resolutionM: number,
  settledM: number,
  settledOdometerM: number,
})
const narrowSector = record<Sector>({ middle: number, low: number, high: number, farthestM: number })
/** An open sector is only as far as its farthest point. */
const sector: Codec<Sector> = {
  pack: value => (value.low === -Infinity ? value.farthestM : narrowSector.pack(value)),
  unpack: packed => (typeof packed === 'number' ? { ...OPEN_SECTOR, farthestM: packed } : narrowSector.unpack(packed)),
}
const route = record<Route>({
  kept: number,
  keptHash: number,
  final: text,
  isEmpty: flag,
  lat: number,
  lon: number,
  newestLat: number,
  newestLon: number,
  sector,
})
const meters: Codec<MeterReadings> = {
  pack: readings => readings.map(reading => reading ?? null),
  unpack: packed => (packed as readonly (readonly [number, number] | null)[]).map(reading => reading ?? undefined),
}
const measured = record<Measured>({
  startMs: number,
  endMs: number,
  startPosition: optional(position),
  endPosition: optional(position),
  speed,
  path,
  odometer: optional(odometer),
  meters,
  route,
  isTrip: flag,
})
const opened = record<Cause<OpeningRule>>({ rule: plain<OpeningRule>(), timeMs: number })
const pause = record<Pause>({ rule: plain<Pause['rule']>(), sinceMs: number, measured, isSettled: flag })
const trip = record<OpenTrip>({ opened, measured, pause: optional(pause) })
const vinRun = record<VinRun>({ vin: text, firstMs: number, boundaryMs: sinceEver, isConfirmed: flag })
const sample = record<Sample>({
  deviceId: plain<DeviceId>(),
  timeMs: number,
  types: plain<readonly EventTypeId[]>(),
  numbers: plain<readonly number[]>(),
  texts: plain<readonly string[]>(),
})
const state = record<FoldState>({
  progress: record<FoldState['progress']>({
    lastMs: optional(number),
    power: record<FoldState['progress']['power']>({
      ignition: optional(word),
      engine: optional(word),
      isUnplugged: flag,
    }),
    isMoving: flag,
    place: optional(place),
    trip: optional(trip),
    boundaryMs: sinceEver,
    vinRun: optional(vinRun),
  }),
  newest: optional(sample),
})

/** Equal states give equal texts. */
export function serialiseState(value: FoldState): string {
  return JSON.stringify([VERSION, state.pack(value)])
}

/** @throws when the text was not written by `serialiseState` of this version. */
export function parseState(written: string): FoldState {
  const [version, packed] = JSON.parse(written) as [unknown, unknown]
  if (version !== VERSION) throw new Error(`a state of the fold of version ${String(version)} can not be read`)
  return state.unpack(packed)
}
