import type { DeviceId, Sample } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { HistorySource } from './history-source.ts'
import type { Interval } from './interval.ts'
import { readRows } from './runs/rows-by-layout.ts'
import { merged, type SampleRun } from './runs/sample-run.ts'
import { SealedRun } from './runs/sealed-run.ts'
import type { WantedTypes } from './runs/wanted-types.ts'
import { ofDevices, readNextSealedDays, readSealedDays, SAMPLES_AT_ONCE, type SealedDay } from './sealed/sealed-days.ts'
import { longerStretch, WEEK_MS, weekStartMs } from './weeks.ts'

/** How much one statement reads: to plan and begin one costs as much as to read a thousand samples. */
interface Portion {
  readonly weeks: number
  /** Of a device that reports more in that time, the first ones are read, so many at a time. */
  readonly most: number
  readonly first: number
}

const USUAL: Portion = { weeks: 4, most: 40_000, first: 10_000 }

/**
 * All samples of a device in an interval, in the order of time, some at a time; each is written over with the next one. While the caller
 * works on some, the next ones are read. Each statement takes a turn of the account.
 * @param interval a finite one
 */
export async function* readAhead(
  source: HistorySource,
  interval: Interval,
  wanted: WantedTypes,
  portion = USUAL,
): AsyncGenerator<Iterable<Sample>> {
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
): AsyncGenerator<Iterable<Sample>> {
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
    if (!rows.touchesSealed) yield merged(rows.runs)
    else yield* besideSealed(source, { ...stretch, toMs: atMs }, rows.runs, wanted)
    weeks = rows.count > 0 ? portion.weeks : longerStretch(weeks)
  }
}

/** The rows of a stretch, and what is sealed of it. A row hides what is sealed of its instant: it is the newer one. */
async function* besideSealed(
  source: HistorySource,
  { deviceId, fromMs, toMs }: Interval,
  runs: readonly SampleRun[],
  wanted: WantedTypes,
): AsyncGenerator<Iterable<Sample>> {
  for (let left = { fromMs, toMs }; left.fromMs < left.toMs; ) {
    const days = await nextDays(source, deviceId, left)
    const last = days.at(-1)
    if (!last) break
    const sealed = days.map(({ body }) => new SealedRun(deviceId, body, { fromMs, toMs }, wanted))
    yield merged([...runs, ...sealed], last.day.toMs)
    left = { fromMs: last.day.toMs, toMs }
  }
  yield merged(runs)
}

async function nextDays(source: HistorySource, deviceId: DeviceId, range: TimeRange): Promise<readonly SealedDay[]> {
  const samples = SAMPLES_AT_ONCE
  const which = { deviceIds: [deviceId], range, types: undefined, direction: 'ascending', samples } as const
  const next = await readNextSealedDays(source, which)
  return next.kind === 'fetched' ? next.days : readSealedDays(source, ofDevices([deviceId], next.day))
}
