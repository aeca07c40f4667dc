import type { Occasions } from '../../../db/samples/occasions/read-occasions.ts'
import type { Occasion } from '../../../facts/incidents/derive/detector.ts'
import type { IncidentItem } from '../../../facts/incidents/derive/finding.ts'
import type { IncidentsState, incidentsPart } from '../../../facts/incidents/derive/incidents-part.ts'
import { Settling } from '../../../facts/incidents/derive/settling.ts'
import type { Sample } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { foldChunks } from './fold-chunks.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** How samples are left out. */
export interface Reach {
  /** How long before an occasion reading begins, so that the situation is known there; if it is not, from the next of them on. */
  readonly leadsMs: readonly number[]
  /** How long after an occasion it mostly is over. */
  readonly followMs: number
  /** To go to another stretch costs as much as to fold so many samples. */
  readonly stretchSamples: number
  /** Where it would cost more than this share of the whole history, that is read. */
  readonly mostShare: number
}

const USUAL_REACH: Reach = {
  leadsMs: [3 * HOUR_MS, DAY_MS, 8 * DAY_MS],
  followMs: HOUR_MS,
  stretchSamples: 1500,
  mostShare: 0.7,
}

interface FoldOptions {
  readonly part: ReturnType<typeof incidentsPart>
  /** In which the device was in one car. */
  readonly range: TimeRange
  readonly needs: Occasion['needs']
  readonly occasions: Occasions
  /** All samples of a part of the range, in the order of time, so many at a time that folding them takes a millisecond or two. */
  readonly read: (part: TimeRange) => AsyncIterable<readonly Sample[]>
  /** Before each piece of work of a few milliseconds. */
  readonly turn: () => Promise<void>
  readonly reach?: Reach
}

/**
 * Folds what of a history matters to a rule, which finds the same as in all of it (docs/adr/0034): nothing begins but at an occasion. Before
 * one, so much is read that the situation of the car follows from it, and after it, until nothing goes on any more.
 * @yields after each chunk of samples what was found in it
 */
export async function* foldOccasions(options: FoldOptions): AsyncGenerator<readonly IncidentItem[]> {
  const { part, range, reach = USUAL_REACH } = options
  const stretches = stretchesOf(options, reach)
  const fold = new Fold(options)
  for (const [index, stretch] of stretches.entries()) {
    if (fold.atMs < stretch.fromMs) await fold.jumpTo(stretch.occasionMs, reach)
    yield* fold.foldTo(stretch.toMs)
    const nextMs = stretches[index + 1]?.fromMs ?? range.toMs
    for (let stepMs = reach.followMs; fold.isGoingOn && fold.atMs < nextMs; stepMs *= 4)
      yield* fold.foldTo(Math.min(nextMs, fold.atMs + stepMs))
  }
  yield part.goingOn(fold.state)
}

/** A stretch of time to be read, and its first occasion. */
interface Stretch extends TimeRange {
  readonly occasionMs: number
}

function stretchesOf({ range, needs, occasions: { spans, samples } }: FoldOptions, reach: Reach): Stretch[] {
  const [first] = spans
  const last = spans.reduce((latest, { toMs }) => Math.max(latest, toMs), Number.NEGATIVE_INFINITY)
  if (!first) return []
  const whole = { fromMs: range.fromMs, occasionMs: first.fromMs, toMs: Math.min(range.toMs, last + 1) }
  const [leadMs] = reach.leadsMs
  if (needs === 'all') return [{ ...whole, toMs: range.toMs }]
  if (leadMs === undefined) return [whole]
  const stretches: Stretch[] = []
  for (const span of spans) {
    const fromMs = Math.max(range.fromMs, span.fromMs - leadMs)
    const toMs = Math.min(range.toMs, span.toMs + reach.followMs)
    const before = stretches.at(-1)
    if (before && fromMs <= before.toMs)
      stretches[stretches.length - 1] = { ...before, toMs: Math.max(before.toMs, toMs) }
    else stretches.push({ fromMs, occasionMs: span.fromMs, toMs })
  }
  const readMs = stretches.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  const readShare = readMs / (range.toMs - range.fromMs)
  return readShare * samples + stretches.length * reach.stretchSamples > reach.mostShare * samples ? [whole] : stretches
}

/** A fold that may leave out samples while nothing goes on. */
class Fold {
  readonly #options: FoldOptions
  /** What follows from all samples before `atMs`. */
  state: IncidentsState = null
  atMs: number

  constructor(options: FoldOptions) {
    this.#options = options
    this.atMs = options.range.fromMs
  }

  get isGoingOn(): boolean {
    return this.state !== null && this.state.rules.length > 0
  }

  /** Goes on at a time, of which the state is made out from the samples before it; nothing may be going on, nor begin before it. */
  async jumpTo(timeMs: number, { leadsMs }: Reach): Promise<void> {
    const { needs } = this.#options
    for (const leadMs of leadsMs) {
      const fromMs = timeMs - leadMs
      if (needs === 'all' || fromMs <= this.atMs) break
      const state = await this.#settled(fromMs, timeMs, needs)
      if (state === undefined) continue
      this.state = state
      this.atMs = timeMs
      return
    }
    // All that was left out is read after all: nothing is found in it.
    for await (const _ of this.foldTo(timeMs));
  }

  /** @returns undefined where the samples of a time do not tell all */
  async #settled(fromMs: number, toMs: number, needs: 'place' | 'motion'): Promise<IncidentsState | undefined> {
    const { part, read, turn, occasions } = this.#options
    const settling = new Settling(type => occasions.firstMs(type) >= fromMs)
    let state = part.begin()
    for await (const samples of read({ fromMs, toMs })) {
      await turn()
      for (const sample of samples) {
        const before = state?.situation ?? null
        state = part.step(state, sample).state
        if (state) settling.see(before, sample, state.situation)
      }
    }
    return settling.knows(needs) ? state : undefined
  }

  async *foldTo(toMs: number): AsyncGenerator<readonly IncidentItem[]> {
    const { part, read, turn } = this.#options
    if (toMs <= this.atMs) return
    for await (const { state, items } of foldChunks(part, this.state, read({ fromMs: this.atMs, toMs }), turn)) {
      this.state = state
      yield items
    }
    this.atMs = toMs
  }
}
