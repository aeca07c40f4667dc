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
  keyOfItem,
  type PartStates,
  statesOfText,
  unpackedState,
} from './fold-part.ts'
import { type Folded, foldAcrossMoves, isMovedBetween } from './trips/derive/fold.ts'

import { type FoldState, withParts } from './trips/derive/state.ts'

/** The trips that follow from samples, and the results of every other fact that needs them in order. */
export interface DeviceFolded extends Folded {
  /** By the name of the fact. */
  readonly items: ReadonlyMap<string, FoldedItems>
}

const NEVER: ReadonlySet<number> = new Set()
const NO_ITEMS: ReadonlyMap<string, FoldedItems> = new Map()

/** Folds samples of a dongle for all facts that need them in order. `before` and `samples` are as for `foldAcrossMoves`. */
export function foldDevice(
  before: FoldState | undefined,
  samples: readonly Sample[],
  context: FoldContext,
): DeviceFolded {
  const { movesMs } = context
  const folded = foldAcrossMoves(before, samples, movesMs)
  if (before?.parts === undefined && isNothingInOrder(context)) return { ...folded, items: NO_ITEMS }
  const statesBefore = statesOfText(before?.parts)
  const parts = partsOfFacts(statesBefore, context)
  const { state, checkpoints } = folded
  const waitingMs = (state.held[0] ?? state.newest)?.timeMs ?? Number.POSITIVE_INFINITY
  // Spread, they would take as long as some steps.
  const isNewestAgain = before?.newest !== undefined && before.newest.timeMs === samples[0]?.timeMs
  const waiting = waitingBefore(before, isNewestAgain)
  const samplesToFold = waiting.concat(samples)
  const { states, items } = foldParts(samplesToFold, {
    parts,
    before: before && statesBefore,
    countWaiting: isNewestAgain ? undefined : waiting.length,
    movedMs: movedBefore(samplesToFold, before?.progress.lastMs, movesMs),
    atMs: [...checkpoints.map(({ beforeMs }) => beforeMs), waitingMs],
  })
  // Field by field: to spread these takes as long as to fold some samples.
  return {
    state: { progress: state.progress, held: state.held, newest: state.newest, parts: states.at(-1) },
    trips: folded.trips,
    openStartMs: folded.openStartMs,
    vinRuns: folded.vinRuns,
    mustStoreRoute: folded.mustStoreRoute,
    checkpoints: checkpoints.map(({ beforeMs, state: text }, index) => ({
      beforeMs,
      state: withParts(text, states[index]),
    })),
    items,
  }
}

/** Samples of the state that its progress does not include yet. The first new sample may replace the newest. */
function waitingBefore(before: FoldState | undefined, isNewestAgain: boolean): Sample[] {
  const { held = [], newest } = before ?? {}
  return newest && !isNewestAgain ? [...held, newest] : [...held]
}

function movedBefore(
  samples: readonly Sample[],
  beforeMs: number | undefined,
  movesMs: readonly number[],
): ReadonlySet<number> {
  if (movesMs.length === 0) return NEVER
  const moved = samples.filter(({ timeMs }, index) =>
    isMovedBetween(samples[index - 1]?.timeMs ?? beforeMs, timeMs, movesMs),
  )
  return new Set(moved.map(({ timeMs }) => timeMs))
}

/** Where no rule ever was, this is all that rules cost. */
function isNothingInOrder(context: FoldContext): boolean {
  for (const { inOrder } of FACTS) if (inOrder && !inOrder.isIdle?.(context)) return false
  return true
}

function partsOfFacts(before: PartStates, context: FoldContext): FoldParts {
  const parts = new Map<string, FoldPart<Json, FoldItem>>()
  for (const { name, inOrder } of FACTS) {
    if (!inOrder) continue
    const isIdle = before[name] === undefined && inOrder.isIdle?.(context)
    if (!isIdle) parts.set(name, inOrder.part(context))
  }
  return parts
}

/** The keys of a fact's items that are going on in a state. */
export function goingOnAt({ parts }: FoldState, fact: string, context: FoldContext): readonly string[] {
  const state = statesOfText(parts)[fact]
  const part = FACTS.find(({ name }) => name === fact)?.inOrder?.part(context)
  return state === undefined || !part ? [] : part.goingOn(unpackedState(part, state)).map(item => keyOfItem(part, item))
}
