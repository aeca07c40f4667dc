import type { Sample } from '../model/sample.ts'

/** Plain data, as JSON keeps it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Something that began at an instant. A dongle has at most one item of a kind that begins at an instant. */
export interface FoldItem {
  readonly startMs: number
  readonly [field: string]: string | number | boolean | null
}

/**
 * Derives something other than trips from the samples of a dongle in the order of time. Pure: each step depends on the state and
 * the sample alone. An item begins at the sample of the step, or was going on before it.
 */
export interface FoldPart<State extends Json, Item extends FoldItem> {
  /** The state before the first sample, and after an operator moved the dongle to another car. */
  begin(): State
  /** Processes a sample. @returns the new state, and items that later samples can not change. */
  step(state: State, sample: Sample): { readonly state: State; readonly done: readonly Item[] }
  /** Items that later samples may change. */
  goingOn(state: State): readonly Item[]
}

/** Parts by the names of their facts, in the order of the facts. */
export type FoldParts = ReadonlyMap<string, FoldPart<Json, FoldItem>>

/** States of parts, by the names of their facts. */
export type PartStates = Readonly<Record<string, Json>>

/** The result of a part: exactly these items begin at `fromMs` or later. */
export interface FoldedItems {
  readonly fromMs: number
  readonly items: readonly FoldItem[]
}

interface PartsFolded {
  /** For each requested instant: the states after all samples before it. */
  readonly states: readonly PartStates[]
  /** By the names of their facts. */
  readonly items: ReadonlyMap<string, FoldedItems>
}

interface FoldPartsOptions {
  readonly parts: FoldParts
  /** Undefined before the first sample. A part without a state is new and is skipped until all samples are folded again. */
  readonly before: PartStates | undefined
  /** The times of samples before which an operator moved the dongle to another car. */
  readonly movedMs: ReadonlySet<number>
  /** Ascending. */
  readonly atMs: readonly number[]
}

/**
 * Folds samples for the parts.
 * @param samples ascending by time, each instant once, none of them in the state before
 * @throws if there is a state of an unknown part
 */
export function foldParts(samples: readonly Sample[], options: FoldPartsOptions): PartsFolded {
  const { parts, before, atMs } = options
  const unknown = Object.keys(before ?? {}).find(name => !parts.has(name))
  if (unknown !== undefined)
    throw new Error(`the state of the fold has a part ${unknown} that this version of Tacho does not know`)
  const states = atMs.map((): Record<string, Json> => ({}))
  const items = new Map<string, FoldedItems>()
  for (const [name, part] of parts) {
    const state = before ? before[name] : part.begin()
    if (state === undefined) continue
    const folded = foldPart(part, state, samples, options)
    folded.states.forEach((at, index) => Object.assign(states[index] ?? {}, { [name]: at }))
    items.set(name, folded.items)
  }
  return { states, items }
}

function foldPart(
  part: FoldPart<Json, FoldItem>,
  before: Json,
  samples: readonly Sample[],
  { movedMs, atMs }: FoldPartsOptions,
): { readonly states: readonly Json[]; readonly items: FoldedItems } {
  const items = new Map<number, FoldItem>()
  const take = (taken: readonly FoldItem[]) => {
    for (const item of taken) items.set(item.startMs, item)
  }
  const states: Json[] = []
  let state = before
  for (const sample of samples) {
    while (states.length < atMs.length && (atMs[states.length] ?? Number.POSITIVE_INFINITY) <= sample.timeMs)
      states.push(state)
    if (movedMs.has(sample.timeMs)) {
      take(part.goingOn(state))
      state = part.begin()
    }
    const stepped = part.step(state, sample)
    state = stepped.state
    take(stepped.done)
  }
  take(part.goingOn(state))
  while (states.length < atMs.length) states.push(state)
  const startsMs = part.goingOn(before).map(({ startMs }) => startMs)
  const fromMs = Math.min(samples[0]?.timeMs ?? Number.POSITIVE_INFINITY, ...startsMs)
  return { states, items: { fromMs, items: [...items.values()].sort((a, b) => a.startMs - b.startMs) } }
}

/** Joins the results of two consecutive stretches of time. */
export function joinedItems(first: FoldedItems | undefined, second: FoldedItems): FoldedItems {
  if (!first) return second
  const before = first.items.filter(({ startMs }) => startMs < second.fromMs)
  return { fromMs: Math.min(first.fromMs, second.fromMs), items: [...before, ...second.items] }
}
