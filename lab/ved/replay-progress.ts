import { SingleBar } from 'cli-progress'
import type { IngestTotals } from '../upload/ingest-client.ts'
import type { Retry } from '../upload/ingest-request.ts'

/** How often a line is printed without a terminal. */
const LINE_EVERY_MS = 10_000

interface ReplayProgress {
  start(rows: number): void
  stored(totals: IngestTotals): void
  waiting(retry: Retry): void
  /** May be called again. */
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
