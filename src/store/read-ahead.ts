import { WEEK_MS, weekStartMs } from '../model/time-range.ts'
import type { HistorySource } from './history-source.ts'
import type { Interval } from './interval.ts'
import { readRows } from './runs/read-rows.ts'
import { MergedRuns, type SampleCursor, type SampleRun } from './runs/sample-run.ts'
import { SealedRun } from './runs/sealed-run.ts'
import type { WantedTypes } from './runs/wanted-types.ts'
import { ColumnMemory } from './sealed/column-memory.ts'
import { sealedDaysIn } from './sealed/days-of-history.ts'
import { longerStretch } from './weeks.ts'

/** How much one statement reads: to plan and begin one costs as much as to read a thousand samples. */
interface Portion {
  readonly weeks: number
  /** Of a device that reports more in that time, the first ones are read, so many at a time. */
  readonly most: number
  readonly first: number
}

const USUAL: Portion = { weeks: 8, most: 80_000, first: 10_000 }

/**
 * All samples of a device in an interval, in the order of time, some at a time. While the caller
 * works on some, the next ones are read. Each statement takes a turn of the account.
 * @param interval a finite one
 */
export async function* readAhead(
  source: HistorySource,
  interval: Interval,
  wanted: WantedTypes,
  portion = USUAL,
): AsyncGenerator<SampleCursor> {
  const portions = readPortions(source, interval, wanted, portion)
  let next = portions.next()
  try {
    for (let read = await next; !read.done; read = await next) {
      next = portions.next()
      // The reader has stopped.
      next.catch(() => undefined)
      yield read.value
    }
  } finally {
    await next.catch(() => undefined)
  }
}

/** A statement over a year would be planned for each of its tables, which takes longer than to read some weeks. */
async function* readPortions(
  source: HistorySource,
  { deviceId, fromMs, toMs }: Interval,
  wanted: WantedTypes,
  portion: Portion,
): AsyncGenerator<SampleCursor> {
  let { weeks } = portion
  let areFirst = false
  for (let atMs = fromMs; atMs < toMs; ) {
    const untilMs = Math.min(toMs, weekStartMs(atMs) + weeks * WEEK_MS)
    const stretch = { deviceId, fromMs: atMs, toMs: untilMs }
    const most = areFirst ? portion.first : portion.most
    // Rows first: sealing moves samples from there to sealed days, never back.
    const rows = await readRows(source, stretch, { most, areFirst }, wanted)
    const isCut = rows.count === most
    if (isCut && !areFirst) {
      areFirst = true
      continue
    }
    atMs = isCut ? rows.lastMs + 1 : untilMs
    if (!rows.touchesSealed) yield new MergedRuns([rows.run])
    else yield* besideSealed(source, { ...stretch, toMs: atMs }, rows.run, wanted)
    weeks = rows.count > 0 ? portion.weeks : longerStretch(weeks)
  }
}

/** The rows of a stretch, and what is sealed of it. A row hides what is sealed of its instant: it is the newer one. */
async function* besideSealed(
  source: HistorySource,
  { deviceId, fromMs, toMs }: Interval,
  rows: SampleRun,
  wanted: WantedTypes,
): AsyncGenerator<SampleCursor> {
  for await (const days of sealedDaysIn(source, { deviceId, fromMs, toMs })) {
    const bodies = days.map(({ body }) => body)
    const sealed = new SealedRun(deviceId, bodies, { fromMs, toMs }, wanted, new ColumnMemory())
    yield new MergedRuns([rows, sealed], days.at(-1)?.day.toMs)
  }
  yield new MergedRuns([rows])
}
