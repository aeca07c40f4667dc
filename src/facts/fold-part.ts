import type { Sample } from '../model/sample.ts'

/** Plain data, as JSON keeps it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Something that began at an instant, of which no other of its kind began for this dongle. */
export interface FoldItem {
  readonly startMs: number
  readonly [field: string]: string | number | boolean | null
}

/**
 * What follows from the samples of a dongle in the order of time, apart from its trips. Pure: each step follows from the state
 * and the sample alone. An item begins with the sample that is stepped over, or is one that was going on before.
 */
export interface FoldPart<State extends Json, Item extends FoldItem> {
  /** Before the first sample, and in each car that an operator puts the dongle in. */
  begin(): State
  /** Goes on by a sample. @returns the new state, and items that nothing to come can change. */
  step(state: State, sample: Sample): { readonly state: State; readonly done: readonly Item[] }
  /** Items that began, and that samples to come may change. */
  goingOn(state: State): readonly Item[]
}

/** Parts by their names, in the order of the facts that they belong to. */
export type FoldParts = ReadonlyMap<string, FoldPart<Json, FoldItem>>

/** Where parts stand, by their names. */
export type PartStates = Readonly<Record<string, Json>>

/** What samples told of a part: these and no others are its items that begin at `fromMs` or later. */
export interface Told {
  readonly fromMs: number
  readonly items: readonly FoldItem[]
}

export interface PartsFolded {
  /** For each instant that was asked for, in their order: where the parts stand after all samples before it. */
  readonly states: readonly PartStates[]
  readonly told: ReadonlyMap<string, Told>
}

export interface FoldPartsOptions {
  readonly parts: FoldParts
  /** Undefined before the first sample. A part that was not there yet has no state, and is left alone until all is folded again. */
  readonly before: PartStates | undefined
  /** The times of samples before which an operator put the dongle into another car. */
  readonly movedMs: ReadonlySet<number>
  /** Ascending. */
  readonly atMs: readonly number[]
}

/**
 * Folds samples for the parts.
 * @param samples ascending by time, each instant once, none of them in the state before
 * @throws when the state has a part that this program does not know
 */
export function foldParts(samples: readonly Sample[], options: FoldPartsOptions): PartsFolded {
  const { parts, before, atMs } = options
  const unknown = Object.keys(before ?? {}).find(name => !parts.has(name))
  if (unknown !== undefined)
    throw new Error(`the state of the fold has a part ${unknown} that this version of Tacho does not know`)
  const states = atMs.map((): Record<string, Json> => ({}))
  const told = new Map<string, Told>()
  for (const [name, part] of parts) {
    const state = before ? before[name] : part.begin()
    if (state === undefined) continue
    const folded = foldPart(part, state, samples, options)
    folded.states.forEach((at, index) => Object.assign(states[index] ?? {}, { [name]: at }))
    told.set(name, folded.told)
  }
  return { states, told }
}

function foldPart(
  part: FoldPart<Json, FoldItem>,
  before: Json,
  samples: readonly Sample[],
  { movedMs, atMs }: FoldPartsOptions,
): { readonly states: readonly Json[]; readonly told: Told } {
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
  return { states, told: { fromMs, items: [...items.values()].sort((a, b) => a.startMs - b.startMs) } }
}

/** What two stretches told, the second of which went on where the first had ended. */
export function toldTogether(first: Told | undefined, second: Told): Told {
  if (!first) return second
  const before = first.items.filter(({ startMs }) => startMs < second.fromMs)
  return { fromMs: Math.min(first.fromMs, second.fromMs), items: [...before, ...second.items] }
}
