import type { Json } from '../../fold-part.ts'
import { type Origin, type Packed, packNear, unpackNear } from '../../trips/derive/packing/values.ts'
import type { Place } from './believed-place.ts'
import { type FormerIncidentsState, unpackFormerState } from './former-state.ts'
import type { IncidentsState } from './going-on.ts'
import type { RulesOfDevice } from './rule-book.ts'
import { detectorOf, ruleVersionIn } from './rules-in-force.ts'
import type { Situation } from './situation.ts'

/** Changes with the order of fields: a state of another version is not read as one of this. */
const VERSION: number = 1

/** Of a rule and its version. */
type PackedRule = readonly [ruleId: number, version: number, state: Json]

/** A state as it is stored (`trips/derive/packing/values.ts`): instants as the time since the last sample, and places near the last one. */
export type PackedIncidentsState =
  | readonly [
      version: number,
      inForce: string,
      lastMs: number,
      place: Packed<typeof packPlaceOf> | null,
      situation: Packed<typeof packSituation>,
      rules: readonly PackedRule[],
    ]
  | null

/** Equal states give equal values. A rule that is in no book any more tells nothing, and is left out. */
export function packState(rules: RulesOfDevice, state: IncidentsState): PackedIncidentsState {
  if (!state) return null
  const { inForce, situation } = state
  const origin = originOf(situation.lastMs, situation.place)
  return [
    VERSION,
    inForce,
    situation.lastMs,
    situation.place && packPlaceOf(situation.place, situation.lastMs),
    packSituation(situation, origin),
    packRules(rules, state.rules, origin),
  ]
}

/**
 * @param packed by `packState`, or by a version before
 * @throws if it was written by a later version
 */
export function unpackState(rules: RulesOfDevice, packed: PackedIncidentsState | FormerIncidentsState): IncidentsState {
  if (packed === null || isFormer(packed)) return unpackFormerState(packed)
  const [version, inForce, lastMs, packedPlace, situation, packedRules] = packed
  if (version !== VERSION)
    throw new Error(`what rules know is stored in version ${String(version)}, which can not be read`)
  const place = packedPlace && unpackPlaceOf(packedPlace, lastMs)
  const origin = originOf(lastMs, place)
  return {
    inForce,
    situation: unpackSituation(situation, place, origin),
    rules: unpackRules(rules, packedRules, origin),
  }
}

function isFormer(
  packed: NonNullable<PackedIncidentsState | FormerIncidentsState>,
): packed is NonNullable<FormerIncidentsState> {
  return 'inForce' in packed || typeof packed[0] === 'string'
}

function originOf(timeMs: number, place: Place | null): Origin {
  return { timeMs, position: place ? { lon: place.lon, lat: place.lat } : undefined }
}

function packRules(
  rules: RulesOfDevice,
  states: NonNullable<IncidentsState>['rules'],
  origin: Origin,
): readonly PackedRule[] {
  const packed: PackedRule[] = []
  for (const [ruleId, version, state] of states) {
    const rule = ruleVersionIn(rules, ruleId, version)
    if (!rule) continue
    const { packing } = detectorOf(rule)
    packed.push([ruleId, version, packing ? packing.pack(state, origin) : state])
  }
  return packed
}

function unpackRules(
  rules: RulesOfDevice,
  packed: readonly PackedRule[],
  origin: Origin,
): NonNullable<IncidentsState>['rules'] {
  const states: PackedRule[] = []
  for (const [ruleId, version, state] of packed) {
    const rule = ruleVersionIn(rules, ruleId, version)
    if (!rule) continue
    const { packing } = detectorOf(rule)
    states.push([ruleId, version, packing ? packing.unpack(state, origin) : state])
  }
  return states
}

const packRival = ({ lon, lat, firstMs, lastMs, count }: NonNullable<Place['rival']>, originMs: number) =>
  [lon, lat, firstMs - originMs, lastMs - originMs, count] as const
const unpackRival = (
  [lon, lat, firstMs, lastMs, count]: Packed<typeof packRival>,
  originMs: number,
): Place['rival'] => ({ lon, lat, firstMs: firstMs + originMs, lastMs: lastMs + originMs, count })

const packPlaceOf = ({ lon, lat, timeMs, count, rival }: Place, originMs: number) =>
  [lon, lat, timeMs - originMs, count, rival && packRival(rival, originMs)] as const
const unpackPlaceOf = ([lon, lat, timeMs, count, rival]: Packed<typeof packPlaceOf>, originMs: number): Place => ({
  lon,
  lat,
  timeMs: timeMs + originMs,
  count,
  rival: rival && unpackRival(rival, originMs),
})

const packSinceIfAny = (timeMs: number | null, originMs: number) => (timeMs === null ? null : timeMs - originMs)
const unpackSinceIfAny = (packed: number | null, originMs: number) => (packed === null ? null : packed + originMs)

const packSituation = (situation: Situation, origin: Origin) =>
  [
    situation.isIgnitionOn,
    packSinceIfAny(situation.ignitionMs, origin.timeMs),
    situation.isEngineOn,
    situation.rpm,
    situation.voltageV,
    situation.kmh,
    situation.isKmhOfCar,
    situation.courseDeg,
    situation.isUnplugged,
    situation.isMoving,
    packNear({ lon: situation.stayLon, lat: situation.stayLat }, origin),
    packSinceIfAny(situation.staySinceMs, origin.timeMs),
    situation.odometerKm,
    situation.odometerMs - origin.timeMs,
    situation.odometerSinceMs - origin.timeMs,
  ] as const

function unpackSituation(packed: Packed<typeof packSituation>, place: Place | null, origin: Origin): Situation {
  const { lon: stayLon, lat: stayLat } = unpackNear(packed[10], origin)
  return {
    lastMs: origin.timeMs,
    isIgnitionOn: packed[0],
    ignitionMs: unpackSinceIfAny(packed[1], origin.timeMs),
    isEngineOn: packed[2],
    rpm: packed[3],
    voltageV: packed[4],
    kmh: packed[5],
    isKmhOfCar: packed[6],
    courseDeg: packed[7],
    isUnplugged: packed[8],
    isMoving: packed[9],
    place,
    stayLon,
    stayLat,
    staySinceMs: unpackSinceIfAny(packed[11], origin.timeMs),
    odometerKm: packed[12],
    odometerMs: packed[13] + origin.timeMs,
    odometerSinceMs: packed[14] + origin.timeMs,
  }
}
