import type { FoldState } from './fold.ts'
import { FORMER_VERSION, type FormerState, fromFormerState } from './former-state.ts'
import { type packMeters, unpackMeters } from './packing/measured.ts'
import { packProgress, unpackProgress } from './packing/progress.ts'
import { type packRoute, unpackRoute } from './packing/track.ts'
import { type packVinRun, unpackVinRun } from './packing/trip.ts'
import { type Packed, packSample, unpackSample } from './packing/values.ts'

/** Changes with the order of fields: a state of another version is not read as one of this. */
const VERSION: number = 3
/** The same with instants as they are, instead of as the time since the last sample. */
const VERSION_OF_INSTANTS = 2

type PackedState = readonly [
  version: number,
  progress: Packed<typeof packProgress>,
  newest: Packed<typeof packSample> | null,
  held?: readonly Packed<typeof packSample>[],
]

/** Hardly ever is anything held. */
function packState({ progress, held, newest }: FoldState): PackedState {
  const packed = [VERSION, packProgress(progress), newest ? packSample(newest) : null] as const
  return held.length === 0 ? packed : [...packed, held.map(packSample)]
}

/** Equal states give equal texts. */
export function serialiseState(state: FoldState): string {
  return withParts(JSON.stringify(packState(state)), state.parts)
}

/** The text of a state in which nothing is known of parts, with what they know: on a line of its own. */
export function withParts(text: string, parts: string | undefined): string {
  return parts === undefined ? text : `${text}\n${parts}`
}

/** @throws when the text was written neither by `serialiseState` nor by that of a version that is still known. */
export function parseState(text: string): FoldState {
  const [ofTrips = '', parts] = text.split('\n')
  const packed = JSON.parse(ofTrips) as PackedState | PackedFormerState
  if (isFormer(packed)) return fromFormerState(packed, UNCHANGED)
  const [version, progress, newest, held] = packed
  if (version !== VERSION && version !== VERSION_OF_INSTANTS)
    throw new Error(`a state of the fold of version ${String(version)} can not be read`)
  return {
    progress: unpackProgress(progress, version === VERSION),
    held: held?.map(unpackSample) ?? [],
    newest: newest ? unpackSample(newest) : undefined,
    parts,
  }
}

type PackedFormerState = FormerState<
  Packed<typeof packMeters>,
  Packed<typeof packRoute>,
  Packed<typeof packVinRun>,
  Packed<typeof packSample>
>

const UNCHANGED = { meters: unpackMeters, route: unpackRoute, vinRun: unpackVinRun, sample: unpackSample }

function isFormer(packed: PackedState | PackedFormerState): packed is PackedFormerState {
  return packed[0] === FORMER_VERSION
}
