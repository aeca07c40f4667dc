import type { Json } from '../../fold-part.ts'
import { type Origin, packNear, unpackNear } from '../../trips/derive/codec.ts'
import { type Packed } from '../../trips/derive/packing/values.ts'

/** How what a rule knows is stored: in short, as it is written and read with each upload (`trips/derive/packing/values.ts`). */
export interface Packing<State> {
  /** Equal states give equal values. */
  pack(state: State, origin: Origin): Json
  unpack(packed: Json, origin: Origin): State
  /** Of a state that had another form before states were packed (`former-state.ts`). */
  ofFormer?(former: Json): State
}

/** The functions read only what `pack` wrote, or a version before. */
export function packing<State, PackedState extends Json>(
  pack: (state: State, origin: Origin) => PackedState,
  unpack: (packed: PackedState, origin: Origin) => State,
  ofFormer?: (former: never) => State,
): Packing<State> {
  return ofFormer ? { pack, unpack, ofFormer } : { pack, unpack }
}

/** When something was, if ever. */
export const packSinceIfAny = (timeMs: number | null, { timeMs: originMs }: Origin) =>
  timeMs === null ? null : timeMs - originMs
export const unpackSinceIfAny = (packed: number | null, { timeMs: originMs }: Origin) =>
  packed === null ? null : packed + originMs

/** Where something was, if anybody knows. */
export const packPlace = (lon: number | null, lat: number | null, origin: Origin) =>
  lon === null || lat === null ? null : packNear({ lon, lat }, origin)
export const unpackPlace = (packed: Packed<typeof packPlace>, origin: Origin) =>
  packed === null ? NOWHERE : unpackNear(packed, origin)

const NOWHERE = { lon: null, lat: null } as const
