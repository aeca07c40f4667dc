import { setTimeout as sleep } from 'node:timers/promises'
import { SingleBar } from 'cli-progress'
import { OperatorError } from '../../src/model/errors.ts'
import {
  createIngestClient,
  type IngestClient,
  type IngestClientOptions,
  type IngestTotals,
  type Retry,
} from '../upload/ingest-client.ts'
import { LEFT_OUT_COLUMNS, readRows, sampleOfRow, tripKey, type VedRow } from './recording.ts'

export interface VedReplay {
  readonly file: string
  readonly speed: SpeedFactor
  /** Moves the recording so that it ends with its replay, instead of keeping the times recorded. */
  readonly toNow: boolean
  readonly signal: AbortSignal
  readonly client: IngestClientOptions
  readonly onSurveyed: (survey: Survey) => void
}

interface VedReplayReport {
  readonly survey: Survey
  readonly totals: IngestTotals
  readonly shiftMs: number
  readonly tookMs: number
}

/** The whole file is checked before the first sample is sent. @throws OperatorError; the signal's reason */
export async function replayVed(replay: VedReplay): Promise<VedReplayReport> {
  const survey = await surveyOf(readRows(replay.file))
  replay.onSurveyed(survey)
  const shiftMs = replay.toNow ? shiftToNowMs(survey.firstMs, survey.lastMs, Date.now(), replay.speed) : 0
  const startMs = performance.now()
  const client = createIngestClient({ ...replay.client, signal: replay.signal })
  const add = addRow(client, shiftMs)
  if (replay.speed === undefined) for await (const row of readRows(replay.file)) await add(row)
  else
    for await (const rows of rowsAsDue(readRows(replay.file), replay.speed, replay.signal)) {
      for (const row of rows) await add(row)
      await client.flush()
    }
  await client.flush()
  return { survey, totals: client.totals(), shiftMs, tookMs: performance.now() - startMs }
}

function addRow(client: IngestClient, shiftMs: number): (row: VedRow) => Promise<void> {
  const tripsBegun = new Set<string>()
  return async row => {
    const trip = tripKey(row)
    const sample = sampleOfRow(row, !tripsBegun.has(trip), shiftMs)
    tripsBegun.add(trip)
    if (sample) await client.add(sample)
  }
}

const TICK_MS = 500

/** 1 for its own time; undefined as fast as it goes. */
type SpeedFactor = number | undefined

/** So that it ends when its replay ends, and no sample lies in the future meanwhile (with a factor of at least 1). */
export function shiftToNowMs(firstMs: number, lastMs: number, nowMs: number, speed: SpeedFactor): number {
  const replayLastsMs = speed === undefined ? 0 : (lastMs - firstMs) / speed
  return Math.round(nowMs + replayLastsMs) - lastMs
}

/** The rows by their time, whichever car they belong to, in the lots in which they become due. */
async function* rowsAsDue(
  rows: AsyncIterable<VedRow>,
  speed: number,
  signal: AbortSignal,
): AsyncGenerator<readonly VedRow[]> {
  // A recording tells one car after the other; to see them drive at the same time it has to be in memory.
  const ordered: VedRow[] = []
  for await (const row of rows) ordered.push(row)
  ordered.sort((a, b) => a.timeMs - b.timeMs)
  const firstMs = ordered[0]?.timeMs ?? 0
  const startMs = performance.now()
  let next = 0
  while (next < ordered.length) {
    const reachedMs = firstMs + (performance.now() - startMs) * speed
    let end = next
    while ((ordered[end]?.timeMs ?? Number.POSITIVE_INFINITY) <= reachedMs) end++
    if (end > next) yield ordered.slice(next, end)
    next = end
    if (next < ordered.length) await sleep(TICK_MS, undefined, { signal })
  }
}

const LINE_EVERY_MS = 10_000

interface ReplayProgress {
  start(rows: number): void
  stored(totals: IngestTotals): void
  waiting(retry: Retry): void
  stop(): void
}

/** A bar on standard error with rows stored, events a second and the time left; without a terminal a line now and then. */
export function replayProgress(): ReplayProgress {
  const bar = new SingleBar({
    format: '{bar} {percentage}% | {value} of {total} rows | {eventsPerS} events/s | {eta_formatted} left{note}',
    noTTYOutput: true,
    notTTYSchedule: LINE_EVERY_MS,
    hideCursor: true,
    barsize: 30,
    etaBuffer: 50,
  })
  let startMs = 0
  return {
    start(rows) {
      startMs = performance.now()
      bar.start(rows, 0, { eventsPerS: 0, note: '' })
    },
    stored({ samples, events }) {
      const tookMs = performance.now() - startMs
      bar.update(samples, { eventsPerS: Math.round((events / tookMs) * 1000).toLocaleString('en-US'), note: '' })
    },
    waiting({ why, waitMs }) {
      bar.update({ note: ` | ${why}, trying again in ${(waitMs / 1000).toFixed(1)} s` })
    },
    stop() {
      if (bar.isActive) bar.stop()
    },
  }
}

const count = (value: number) => value.toLocaleString('en-US')

/** In lines for the operator. The counts add up. */
export function summaryOf({ survey, totals, shiftMs, tookMs }: VedReplayReport): string {
  const samples = survey.rows - survey.emptyRows - survey.repeatedInstants
  const leftOut = [...survey.leftOut].filter(([, values]) => values > 0)
  const iso = (timeMs: number) => new Date(timeMs + shiftMs).toISOString()
  const lines = [
    [
      'recorded',
      `${count(survey.cars)} cars, ${count(survey.trips)} trips, ${iso(survey.firstMs)} to ${iso(survey.lastMs)}`,
    ],
    ['rows', `${count(survey.rows)}, of which ${count(survey.emptyRows)} hold nothing to send`],
    [
      'samples',
      `${count(samples)}; ${count(survey.repeatedInstants)} rows repeat an instant of their car: the server joins them`,
    ],
    [
      'events',
      `${count(totals.events)} sent = ${count(totals.accepted)} accepted + ${count(totals.duplicates)} duplicates`,
    ],
    ...(totals.maybeStored > 0
      ? [
          [
            '',
            `${count(totals.maybeStored)} requests failed and were sent again; what the first try had stored counts as duplicates`,
          ],
        ]
      : []),
    ...leftOut.map(([column, values], i) => [
      i ? '' : 'left out',
      `${count(values)} values of ${column}: no event type`,
    ]),
    ['time', `${(tookMs / 1000).toFixed(1)} s, ${count(Math.round((totals.events / tookMs) * 1000))} events/s`],
  ]
  return lines.map(([what = '', text = '']) => `${what.padEnd(10)}${text}`).join('\n')
}

interface Survey {
  readonly rows: number
  readonly cars: number
  readonly trips: number
  readonly emptyRows: number
  /** Rows that repeat an instant of their trip. The server keeps one sample an instant: the union, the greater value. */
  readonly repeatedInstants: number
  readonly firstMs: number
  readonly lastMs: number
  readonly leftOut: ReadonlyMap<string, number>
}

async function surveyOf(rows: AsyncIterable<VedRow>): Promise<Survey> {
  const cars = new Set<number>()
  const trips = new Set<string>()
  const leftOut = LEFT_OUT_COLUMNS.map(() => 0)
  const counts = { rows: 0, emptyRows: 0, repeatedInstants: 0 }
  let firstMs = Number.POSITIVE_INFINITY
  let lastMs = Number.NEGATIVE_INFINITY
  let trip = ''
  // Of one trip only: its rows follow one another, and a recording may be longer than memory.
  let instants = new Set<number>()
  for await (const row of rows) {
    counts.rows++
    cars.add(row.carNumber)
    if (tripKey(row) !== trip) {
      trip = tripKey(row)
      instants = new Set()
    }
    // The first row of a trip is never empty: it carries the VIN.
    if (trips.has(trip) && isEmpty(row)) counts.emptyRows++
    else if (instants.has(row.timeMs)) counts.repeatedInstants++
    trips.add(trip)
    instants.add(row.timeMs)
    firstMs = Math.min(firstMs, row.timeMs)
    lastMs = Math.max(lastMs, row.timeMs)
    for (const [i, present] of row.leftOut.entries()) if (present) leftOut[i] = (leftOut[i] ?? 0) + 1
  }
  if (counts.rows === 0) throw new OperatorError('The recording has a header and no rows.')
  const leftOutByColumn = new Map(LEFT_OUT_COLUMNS.map((column, i) => [column, leftOut[i] ?? 0]))
  return { ...counts, cars: cars.size, trips: trips.size, firstMs, lastMs, leftOut: leftOutByColumn }
}

function isEmpty(row: VedRow): boolean {
  return !row.position && row.measured.every(Number.isNaN)
}
