import type { Sample } from '../model/sample.ts'
import { FACTS } from './facts.ts'
import {
  type FoldContext,
  type FoldedItems,
  type FoldItem,
  type FoldPart,
  type FoldParts,
  foldParts,
  type Json,
  statesOfText,
} from './fold-part.ts'
import { type Folded, foldAcrossMoves } from './trips/fold.ts'
import { type FoldState, withParts } from './trips/state.ts'

/** The trips that follow from samples, and the results of every other fact that needs them in order. */
export interface DeviceFolded extends Folded {
  /** By the name of the fact. */
  readonly items: ReadonlyMap<string, FoldedItems>
}

const NO_ITEMS: ReadonlyMap<string, FoldedItems> = new Map()

/** Folds samples of a dongle for all facts that need them in order. `before` and `samples` are as for `foldAcrossMoves`. */
export function foldDevice(
  before: FoldState | undefined,
  samples: readonly Sample[],
  context: FoldContext,
): DeviceFolded {
  const folded = foldAcrossMoves(before, samples, context.movesMs)
  const parts = partsOfFacts(context)
  if (parts.size === 0) return { ...folded, items: NO_ITEMS }
  const { state, checkpoints } = folded
  const waitingMs = (state.pending[0] ?? state.newest)?.timeMs ?? Number.POSITIVE_INFINITY
  const { states, items } = foldParts([...waitingBefore(before, samples), ...samples], {
    parts,
    before: statesOfText(before?.parts),
    atMs: [...checkpoints.map(({ beforeMs }) => beforeMs), waitingMs],
  })
  return {
    ...folded,
    state: { ...state, parts: states.at(-1) },
    checkpoints: checkpoints.map(({ beforeMs, state: text }, index) => ({
      beforeMs,
      state: withParts(text, states[index]),
    })),
    items,
  }
}

/** Samples of the state that its progress does not include yet. The first new sample may replace the newest. */
function waitingBefore(before: FoldState | undefined, [first]: readonly Sample[]): readonly Sample[] {
  const { pending = [], newest } = before ?? {}
  return newest && newest.timeMs !== first?.timeMs ? [...pending, newest] : pending
}

function partsOfFacts(context: FoldContext): FoldParts {
  const parts = new Map<string, FoldPart<Json, FoldItem>>()
  for (const { name, inOrder } of FACTS) {
    const part = inOrder?.part(context)
    if (part) parts.set(name, part)
  }
  return parts
}

/** The keys of a fact's items that are going on in a state. */
export function goingOnAt({ parts }: FoldState, fact: string, context: FoldContext): readonly string[] {
  const state = statesOfText(parts)[fact] ?? null
  const part = FACTS.find(({ name }) => name === fact)?.inOrder?.part(context)
  return part?.goingOn(state).map(item => part.keyOf(item)) ?? []
}
