import type { Occasion } from '../../../derive/incidents/derive/detector.ts'
import type { IncidentItem } from '../../../derive/incidents/derive/finding.ts'
import type { incidentsPart } from '../../../derive/incidents/derive/incidents-part.ts'
import type { IncidentsRun } from '../../../derive/incidents/derive/incidents-run.ts'
import { Settling } from '../../../derive/incidents/derive/settling.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import type { Occasions } from '../../../store/occasions/read-occasions.ts'
import type { SampleCursor } from '../../../store/runs/sample-run.ts'
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
  stretchSamples: 1000,
  mostShare: 0.7,
}

interface FoldOptions {
  readonly part: ReturnType<typeof incidentsPart>
  /** In which the device was in one car. */
  readonly range: TimeRange
  readonly needs: Occasion['needs']
  readonly occasions: Occasions
  /** All samples of a part of the range, in the order of time, some at a time. */
  readonly read: (part: TimeRange) => AsyncIterable<SampleCursor>
  /** The same of several parts at once; undefined where they are to be read one by one. */
  readonly readTogether?: (parts: readonly TimeRange[]) => Promise<readonly SampleCursor[] | undefined>
  readonly reach?: Reach
}

/**
 * Folds what of a history matters to a rule, which finds the same as in all of it (docs/adr/0034): nothing begins but at an occasion. Before
 * one, so much is read that the situation of the car follows from it, and after it, until nothing goes on any more.
 * @yields after each chunk of samples what was found in it
 */
export async function* foldOccasions(options: FoldOptions): AsyncGenerator<readonly IncidentItem[]> {
  const { range, reach = USUAL_REACH } = options
  const stretches = stretchesOf(options, reach)
  const fold = new Fold(options)
  const together = stretches.length > 1 ? await options.readTogether?.(stretches) : undefined
  for (const [index, stretch] of stretches.entries()) {
    if (fold.atMs < stretch.fromMs) yield* fold.jumpInto(stretch, reach, together?.[index])
    yield* fold.foldTo(stretch.toMs)
    const nextMs = stretches[index + 1]?.fromMs ?? range.toMs
    for (let stepMs = reach.followMs; fold.run.isGoingOn && fold.atMs < nextMs; stepMs *= 4)
      yield* fold.foldTo(Math.min(nextMs, fold.atMs + stepMs))
  }
  yield fold.run.goingOn()
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
  /** It has folded all samples before `atMs` that matter. */
  run: IncidentsRun
  atMs: number

  constructor(options: FoldOptions) {
    const { part, range } = options
    this.#options = options
    this.run = part.run(part.begin())
    this.atMs = range.fromMs
  }

  /**
   * Goes on in a stretch, with the state at its first occasion as it is made out from the samples before; nothing may be going on, nor
   * begin before it.
   * @param known the samples of the stretch, where they are read already
   */
  async *jumpInto(
    stretch: Stretch,
    { leadsMs }: Reach,
    known: SampleCursor | undefined,
  ): AsyncGenerator<readonly IncidentItem[]> {
    const { needs, read } = this.#options
    for (const leadMs of leadsMs) {
      const fromMs = stretch.occasionMs - leadMs
      if (needs === 'all' || fromMs <= this.atMs) break
      const chunks = known && fromMs === stretch.fromMs ? [known] : read({ fromMs, toMs: stretch.toMs })
      if (yield* this.#settleAndFold(fromMs, stretch, chunks, needs)) return
    }
    // All that was left out is read after all: nothing is found in it.
    for await (const _ of this.foldTo(stretch.occasionMs));
  }

  /** In one go, as each reading costs a statement. @returns whether the samples before the occasion tell all; else it is as before */
  async *#settleAndFold(
    fromMs: number,
    { occasionMs, toMs }: Stretch,
    chunks: Iterable<SampleCursor> | AsyncIterable<SampleCursor>,
    needs: 'place' | 'motion',
  ): AsyncGenerator<readonly IncidentItem[], boolean> {
    const { part, occasions } = this.#options
    const settling = new Settling(type => occasions.firstMs(type) >= fromMs)
    const run = part.run(part.begin())
    let isSettled = false
    for await (const samples of chunks) {
      const items: IncidentItem[] = []
      for (let sample = samples.next(); sample; sample = samples.next()) {
        if (!isSettled && sample.timeMs >= occasionMs) {
          if (!settling.knows(needs)) return false
          isSettled = true
        }
        const before = run.situation
        const done = run.step(sample)
        if (isSettled) items.push(...done)
        else if (run.situation) settling.see(before, sample, run.situation)
      }
      if (items.length > 0) yield items
    }
    if (!isSettled && !settling.knows(needs)) return false
    this.run = run
    this.atMs = toMs
    return true
  }

  async *foldTo(toMs: number): AsyncGenerator<readonly IncidentItem[]> {
    const { read } = this.#options
    if (toMs <= this.atMs) return
    for await (const { items } of foldChunks(this.run, read({ fromMs: this.atMs, toMs }))) yield items
    this.atMs = toMs
  }
}
