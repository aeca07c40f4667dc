import type { IncidentsState } from './going-on.ts'
import type { Situation } from './situation.ts'

/** A state as it is stored: with each batch of a dongle it is written and read once, so names of fields would cost as much as a rule. */
export type PackedIncidentsState =
  | readonly [inForce: string, situation: ReturnType<typeof packSituation>, rules: NonNullable<IncidentsState>['rules']]
  | null

/** Equal states give equal values. */
export function packState(state: IncidentsState): PackedIncidentsState {
  return state && [state.inForce, packSituation(state.situation), state.rules]
}

/** @param packed by `packState`, or a state as it is: what was stored before states were packed */
export function unpackState(packed: PackedIncidentsState | IncidentsState): IncidentsState {
  if (packed === null || 'inForce' in packed) return packed
  const [inForce, situation, rules] = packed
  return { inForce, situation: unpackSituation(situation), rules }
}

function packSituation(situation: Situation) {
  const { place } = situation
  return [
    situation.lastMs,
    situation.isIgnitionOn,
    situation.ignitionMs,
    situation.isEngineOn,
    situation.rpm,
    situation.voltageV,
    situation.kmh,
    situation.isKmhOfCar,
    situation.courseDeg,
    situation.isUnplugged,
    situation.isMoving,
    place && ([place.lon, place.lat, place.timeMs, place.count, place.rival] as const),
    situation.stayLon,
    situation.stayLat,
    situation.staySinceMs,
    situation.odometerKm,
    situation.odometerMs,
    situation.odometerSinceMs,
  ] as const
}

function unpackSituation(packed: ReturnType<typeof packSituation>): Situation {
  const place = packed[11]
  return {
    lastMs: packed[0],
    isIgnitionOn: packed[1],
    ignitionMs: packed[2],
    isEngineOn: packed[3],
    rpm: packed[4],
    voltageV: packed[5],
    kmh: packed[6],
    isKmhOfCar: packed[7],
    courseDeg: packed[8],
    isUnplugged: packed[9],
    isMoving: packed[10],
    place: place && { lon: place[0], lat: place[1], timeMs: place[2], count: place[3], rival: place[4] },
    stayLon: packed[12],
    stayLat: packed[13],
    staySinceMs: packed[14],
    odometerKm: packed[15],
    odometerMs: packed[16],
    odometerSinceMs: packed[17],
  }
}
