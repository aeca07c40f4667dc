import type { Json } from '../../fold-part.ts'
import { type Origin, packNear, unpackNear } from '../../trips/derive/codec.ts'
import { type Packed } from '../../trips/derive/packing/values.ts'
import type { Place } from './believed-place.ts'
import { type FormerIncidentsState, unpackFormerState } from './former-state.ts'
import type { IncidentsState, RuleState } from './going-on.ts'
import { type Packing, packSinceIfAny, unpackSinceIfAny } from './packing.ts'
import type { RulesOfDevice } from './rule-book.ts'
import { detectorOf, ruleVersionIn } from './rules-in-force.ts'
import type { Situation } from './situation.ts'

/** Changes with the order of fields: a state of a later version is not read as one of this. In version 1, that of `OUTSIDE_AREAS` was a spell. */
const VERSION = 2

/** A state as it is stored (`trips/derive/packing/values.ts`): instants as the time since the last sample, and places near the last one. */
export type PackedIncidentsState =
  | readonly [
      version: number,
      inForce: string,
      lastMs: number,
      place: Packed<typeof packPlaceOf> | null,
      situation: Packed<typeof packSituation>,
      rules: readonly RuleState[],
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
    rulesAs(rules, state.rules, (packing, of) => packing.pack(of, origin)),
  ]
}

/**
 * @param packed by `packState`, or by a version before
 * @throws if it was written by a later version
 */
export function unpackState(rules: RulesOfDevice, packed: PackedIncidentsState | FormerIncidentsState): IncidentsState {
  if (packed === null) return null
  if (isFormer(packed)) {
    const former = unpackFormerState(packed)
    return { ...former, rules: rulesAs(rules, former.rules, (packing, of) => packing.ofFormer?.(of) ?? of) }
  }
  const [version, inForce, lastMs, packedPlace, situation, packedRules] = packed
  if (version > VERSION)
    throw new Error(`what rules know is stored in version ${String(version)}, which can not be read`)
  const place = packedPlace && unpackPlaceOf(packedPlace, lastMs)
  const origin = originOf(lastMs, place)
  return {
    inForce,
    situation: unpackSituation(situation, place, origin),
    rules: rulesAs(rules, packedRules, (packing, of) => packing.unpack(of, origin)),
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

/** The states of rules in another form; the rules that are in no book any more are left out. */
function rulesAs(
  rules: RulesOfDevice,
  states: readonly RuleState[],
  inForm: (packing: Packing<Json>, state: Json) => Json,
): readonly RuleState[] {
  const others: RuleState[] = []
  for (const [ruleId, version, state] of states) {
    const rule = ruleVersionIn(rules, ruleId, version)
    if (!rule) continue
    const { packing } = detectorOf(rule)
    others.push([ruleId, version, packing ? inForm(packing, state) : state])
  }
  return others
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

const packSituation = (situation: Situation, origin: Origin) =>
  [
    situation.isIgnitionOn,
    packSinceIfAny(situation.ignitionMs, origin),
    situation.isEngineOn,
    situation.rpm,
    situation.voltageV,
    situation.kmh,
    situation.isKmhOfCar,
    situation.courseDeg,
    situation.isUnplugged,
    situation.isMoving,
    packNear({ lon: situation.stayLon, lat: situation.stayLat }, origin),
    packSinceIfAny(situation.staySinceMs, origin),
    situation.odometerKm,
    situation.odometerMs - origin.timeMs,
    situation.odometerSinceMs - origin.timeMs,
  ] as const

function unpackSituation(packed: Packed<typeof packSituation>, place: Place | null, origin: Origin): Situation {
  const { lon: stayLon, lat: stayLat } = unpackNear(packed[10], origin)
  return {
    lastMs: origin.timeMs,
    isIgnitionOn: packed[0],
    ignitionMs: unpackSinceIfAny(packed[1], origin),
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
    staySinceMs: unpackSinceIfAny(packed[11], origin),
    odometerKm: packed[12],
    odometerMs: packed[13] + origin.timeMs,
    odometerSinceMs: packed[14] + origin.timeMs,
  }
}
