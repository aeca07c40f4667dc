import type { Sample } from '../model/sample.ts'
import type { RulesOfDevice } from './incidents/derive/rule-book.ts'

/** Plain data, as JSON keeps it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Something that began at an instant. */
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
  /**
   * The same for many samples: a part of which a new state for each sample would cost much works in place, and makes states only when they
   * are asked for. By default it is one step after the other.
   */
  run?(state: State): PartRun<State, Item>
  /** Items that later samples may change. */
  goingOn(state: State): readonly Item[]
  /** A state as it is stored, and what that means; by default a state is stored as it is. Equal states are packed equally. */
  pack?(state: State): Json
  unpack?(packed: Json): State
  /** What tells an item from others of the dongle; by default its start. */
  keyOf?(item: Item): string
  /**
   * Of a part that follows from the rules of accounts besides samples: it knows from its context where the dongle was when, and ends
   * by itself what does not go on there. Before the first rule its state is null, which is not stored.
   */
  readonly isByRules?: true
  /** Of such a part: whether a state was made under the rules that hold at an instant. */
  isUnderRulesAt?(state: State, timeMs: number): boolean
}

/** A part on its way through samples in the order of time. */
export interface PartRun<State extends Json, Item extends FoldItem> {
  /** @returns items that later samples can not change */
  step(sample: Sample): readonly Item[]
  /** What follows from all samples so far. The next step may write over it. */
  state(): State
  /** The items of that state that later samples may change. One that is the same as before may be the same object. */
  goingOn(): readonly Item[]
}

/** What folding the samples of a dongle depends on besides the samples. */
export interface FoldContext {
  /** Instants from which on an operator had the dongle in another car. */
  readonly movesMs: readonly number[]
  readonly rules: RulesOfDevice
}

/** Parts by the names of their facts, in the order of the facts. */
export type FoldParts = ReadonlyMap<string, FoldPart<Json, FoldItem>>

/** States of parts as they are stored, by the names of their facts. */
export type PartStates = Readonly<Record<string, Json>>

/** @param text as `foldParts` writes it */
export function statesOfText(text: string | undefined): PartStates {
  return text === undefined ? {} : (JSON.parse(text) as PartStates)
}

/** An item, and the time of the sample that decided it: later samples can not change it. Infinite while it is going on. */
export interface DecidedItem {
  readonly item: FoldItem
  readonly key: string
  readonly decidedMs: number
}

/** The result of a part. */
export interface FoldedItems {
  /** Where the samples begin that were folded: exactly these items are decided there or later, or going on. */
  readonly decidedFromMs: number
  /** Of a part that does not follow from rules: exactly these items begin there or later. */
  readonly fromMs: number
  readonly items: readonly DecidedItem[]
  /**
   * Of a part that follows from rules: the same items as they followed from the samples before alone. Undefined where that is not known, as
   * other rules hold by now, or as the newest of those samples came again.
   */
  readonly before: readonly DecidedItem[] | undefined
}

interface PartsFolded {
  /** For each requested instant: the states after all samples before it, as they are stored; undefined where there are none. */
  readonly states: readonly (string | undefined)[]
  /** By the names of their facts. */
  readonly items: ReadonlyMap<string, FoldedItems>
}

interface FoldPartsOptions {
  readonly parts: FoldParts
  /**
   * Undefined before the first sample. A part without a state is new and is skipped until all samples are folded again, unless it
   * follows from rules.
   */
  readonly before: PartStates | undefined
  /** How many of the samples, at first, were there before but are not in the state yet; undefined where one of them came again. */
  readonly countWaiting?: number | undefined
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
  const texts = atMs.map(() => '')
  const items = new Map<string, FoldedItems>()
  for (const [name, part] of parts) {
    const stored = before?.[name] ?? undefined
    if (stored === undefined && before && !part.isByRules) continue
    const state = stored === undefined ? part.begin() : unpackedState(part, stored)
    const folded = foldPart(part, state, samples, options)
    for (const [index, text] of folded.states.entries())
      if (text !== undefined) texts[index] += `${texts[index] ? ',' : ''}${JSON.stringify(name)}:${text}`
    items.set(name, folded.items)
  }
  return { states: texts.map(text => (text === '' ? undefined : `{${text}}`)), items }
}

function foldPart(
  part: FoldPart<Json, FoldItem>,
  before: Json,
  samples: readonly Sample[],
  { movedMs, atMs, countWaiting }: FoldPartsOptions,
): { readonly states: readonly (string | undefined)[]; readonly items: FoldedItems } {
  const decided: DecidedItem[] = []
  const states: (string | undefined)[] = []
  let nextAtMs = atMs[0] ?? Number.POSITIVE_INFINITY
  const [first] = samples
  const isKnown = first !== undefined && part.isUnderRulesAt?.(before, first.timeMs) === true
  let left = isKnown ? countWaiting : undefined
  let known: readonly DecidedItem[] | undefined
  let run = runOf(part, before)
  for (const sample of samples) {
    const { timeMs } = sample
    if (left !== undefined && left-- === 0) known = withGoingOn(decided, part, run)
    while (nextAtMs <= timeMs) {
      states.push(textOfState(part, run.state()))
      nextAtMs = atMs[states.length] ?? Number.POSITIVE_INFINITY
    }
    if (movedMs.size > 0 && movedMs.has(timeMs) && !part.isByRules) {
      decide(decided, part, part.goingOn(run.state()), timeMs)
      run = runOf(part, part.begin())
    }
    const done = run.step(sample)
    if (done.length > 0) decide(decided, part, done, timeMs)
  }
  const items = withGoingOn(decided, part, run, known)
  while (states.length < atMs.length) states.push(textOfState(part, run.state()))
  const decidedFromMs = first?.timeMs ?? Number.POSITIVE_INFINITY
  const startsMs = part.isByRules ? [] : part.goingOn(before).map(({ startMs }) => startMs)
  const fromMs = Math.min(decidedFromMs, ...startsMs)
  return { states, items: { decidedFromMs, fromMs, items, before: known } }
}

/** At once, while it is as it is; undefined where it is not stored. */
function textOfState(part: FoldPart<Json, FoldItem>, state: Json): string | undefined {
  if (state === null && part.isByRules) return undefined
  return JSON.stringify(part.pack ? part.pack(state) : state)
}

/** What was decided, and what goes on. @param before where it was the same, its items serve again */
function withGoingOn(
  decided: readonly DecidedItem[],
  part: FoldPart<Json, FoldItem>,
  run: PartRun<Json, FoldItem>,
  before: readonly DecidedItem[] = [],
): readonly DecidedItem[] {
  const items = [...decided]
  for (const item of run.goingOn())
    items.push(before.find(known => known.item === item) ?? decidedItem(part, item, Number.POSITIVE_INFINITY))
  // What goes on differs in its keys.
  return decided.length === 0 ? inOrderOfStart(items) : lastOfEach(items)
}

function decide(
  decided: DecidedItem[],
  part: FoldPart<Json, FoldItem>,
  items: readonly FoldItem[],
  decidedMs: number,
): void {
  for (const item of items) decided.push(decidedItem(part, item, decidedMs))
}

function decidedItem(part: FoldPart<Json, FoldItem>, item: FoldItem, decidedMs: number): DecidedItem {
  return { item, key: keyOfItem(part, item), decidedMs }
}

/** Of items with one key, the one that was decided last; in the order of their starts. */
function lastOfEach(decided: readonly DecidedItem[]): readonly DecidedItem[] {
  if (decided.length < 2) return decided
  const items = new Map(decided.map(item => [item.key, item]))
  return inOrderOfStart([...items.values()])
}

/** Sorts items in place. */
function inOrderOfStart(items: DecidedItem[]): readonly DecidedItem[] {
  return items.length < 2 ? items : items.sort((a, b) => a.item.startMs - b.item.startMs)
}

function runOf(part: FoldPart<Json, FoldItem>, from: Json): PartRun<Json, FoldItem> {
  return part.run?.(from) ?? new SteppedRun(part, from)
}

class SteppedRun implements PartRun<Json, FoldItem> {
  readonly #part: FoldPart<Json, FoldItem>
  #state: Json

  constructor(part: FoldPart<Json, FoldItem>, from: Json) {
    this.#part = part
    this.#state = from
  }

  step(sample: Sample): readonly FoldItem[] {
    const { state, done } = this.#part.step(this.#state, sample)
    this.#state = state
    return done
  }

  state(): Json {
    return this.#state
  }

  goingOn(): readonly FoldItem[] {
    return this.#part.goingOn(this.#state)
  }
}

/** The state of a part that is stored like that. */
export function unpackedState(part: FoldPart<Json, FoldItem>, stored: Json): Json {
  return part.unpack ? part.unpack(stored) : stored
}

/** What tells an item from others of the dongle. */
export function keyOfItem(part: FoldPart<Json, FoldItem>, item: FoldItem): string {
  return part.keyOf?.(item) ?? String(item.startMs)
}

/** Joins the results of two consecutive stretches of time. */
export function joinedItems(first: FoldedItems | undefined, second: FoldedItems): FoldedItems {
  if (!first) return second
  const before = first.items.filter(({ decidedMs }) => decidedMs < second.decidedFromMs)
  return {
    decidedFromMs: Math.min(first.decidedFromMs, second.decidedFromMs),
    fromMs: Math.min(first.fromMs, second.fromMs),
    items: [...before, ...second.items],
    before: undefined,
  }
}
