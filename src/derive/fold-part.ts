import type { Sample } from '../model/sample.ts'
import type { RulesOfDevice } from './rules/rule-book.ts'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

export interface FoldItem {
  readonly startMs: number
  readonly [field: string]: string | number | boolean | null
}

/** Derives something besides trips from samples in order. Pure: a step depends on state and sample alone. States are
 * stored as they are, null not at all; equal ones give equal JSON. */
export interface FoldPart<State extends Json, Item extends FoldItem> {
  /** @returns the state after one more sample, and items that later samples cannot change */
  step(state: State | null, sample: Sample): { readonly state: State | null; readonly done: readonly Item[] }
  /** Items that later samples may change. */
  goingOn(state: State | null): readonly Item[]
  /** Distinguishes an item from others of the dongle. */
  keyOf(item: Item): string
}

/** The fold of a dongle depends on this besides its samples. */
export interface FoldContext {
  /** Instants from which on an operator had the dongle in another car. */
  readonly movesMs: readonly number[]
  readonly rules: RulesOfDevice
}

/** Parts by the names of their facts, in the order of the facts. */
export type FoldParts = ReadonlyMap<string, FoldPart<Json, FoldItem>>

/** States of parts by the names of their facts. */
type PartStates = Readonly<Record<string, Json>>

/** @param text as `foldParts` writes it */
export function statesOfText(text: string | undefined): PartStates {
  return text === undefined ? {} : (JSON.parse(text) as PartStates)
}

/** An item, and the time of the sample that decided it: later samples cannot change it. Infinite while it is going on. */
export interface DecidedItem {
  readonly item: FoldItem
  readonly key: string
  readonly decidedMs: number
}

/** The result of a part: exactly these items were decided from `decidedFromMs` on, or are going on. */
export interface FoldedItems {
  /** Where the samples begin that were folded. */
  readonly decidedFromMs: number
  /** By start. */
  readonly items: readonly DecidedItem[]
}

interface PartsFolded {
  /** For each requested instant: the states after all samples before it, as they are stored; undefined where there are none. */
  readonly states: readonly (string | undefined)[]
  /** By the names of their facts. */
  readonly items: ReadonlyMap<string, FoldedItems>
}

/** Folds samples for the parts: ascending, each instant once, none of them in the states before.
 * @param atMs ascending */
export function foldParts(
  samples: readonly Sample[],
  { parts, before, atMs }: { readonly parts: FoldParts; readonly before: PartStates; readonly atMs: readonly number[] },
): PartsFolded {
  const states = atMs.map((): Record<string, Json> => ({}))
  const items = new Map<string, FoldedItems>()
  for (const [name, part] of parts) {
    const folded = foldPart(part, before[name] ?? null, samples, atMs)
    for (const [index, state] of folded.states.entries()) {
      const ofAll = states[index]
      if (ofAll && state !== null) ofAll[name] = state
    }
    items.set(name, { decidedFromMs: samples[0]?.timeMs ?? Number.POSITIVE_INFINITY, items: folded.items })
  }
  return { states: states.map(textOf), items }
}

function foldPart(
  part: FoldPart<Json, FoldItem>,
  before: Json,
  samples: readonly Sample[],
  atMs: readonly number[],
): { readonly states: readonly Json[]; readonly items: readonly DecidedItem[] } {
  let state = before
  const states: Json[] = []
  const items = new Map<string, DecidedItem>()
  const add = (item: FoldItem, decidedMs: number) => {
    const key = part.keyOf(item)
    items.set(key, { item, key, decidedMs })
  }
  for (const sample of samples) {
    const { timeMs } = sample
    while ((atMs[states.length] ?? Number.POSITIVE_INFINITY) <= timeMs) states.push(state)
    const stepped = part.step(state, sample)
    state = stepped.state
    for (const item of stepped.done) add(item, timeMs)
  }
  while (states.length < atMs.length) states.push(state)
  for (const item of part.goingOn(state)) add(item, Number.POSITIVE_INFINITY)
  return { states, items: [...items.values()].sort((a, b) => a.item.startMs - b.item.startMs) }
}

function textOf(states: PartStates): string | undefined {
  return Object.keys(states).length === 0 ? undefined : JSON.stringify(states)
}

/** Joins the results of two consecutive ranges of time. */
export function joinedItems(first: FoldedItems | undefined, second: FoldedItems): FoldedItems {
  if (!first) return second
  const before = first.items.filter(({ decidedMs }) => decidedMs < second.decidedFromMs)
  return {
    decidedFromMs: Math.min(first.decidedFromMs, second.decidedFromMs),
    items: [...before, ...second.items],
  }
}
