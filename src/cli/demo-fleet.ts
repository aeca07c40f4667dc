import { setTimeout as sleep } from 'node:timers/promises'
import { DEMO_FLEET } from './demo/fleet.ts'
import { samplesBetween } from './demo/samples.ts'
import { createIngestClient, type IngestSample } from './ingest-client.ts'

const HISTORY_MS = 6 * 3_600_000
const LIVE_EVERY_MS = 2000

export interface DemoFleetOptions {
  readonly baseUrl: string
  /** With the ingest permission. */
  readonly key: string
  /** Ends the demonstration; then `runDemoFleet` returns. */
  readonly signal: AbortSignal
  readonly log: (line: string) => void
}

/**
 * Lets a small made-up fleet report through the HTTP ingest: first its last hours, then as time goes by, until the signal
 * aborts. After a restart it sends the last hours again, which stores only what is missing.
 * @throws OperatorError when the service refuses the key or the data; a service that is away for a while is waited for.
 */
export async function runDemoFleet({ baseUrl, key, signal, log }: DemoFleetOptions): Promise<void> {
  const client = createIngestClient({
    baseUrl,
    key,
    signal,
    inFlight: 1,
    patienceMs: Number.POSITIVE_INFINITY,
    onRetry: ({ why, waitMs }) => log(`demo fleet: ${why}, trying again in ${Math.ceil(waitMs / 1000)} s`),
  })
  let sentToMs = 0
  const catchUp = async () => {
    const nowMs = Date.now()
    for (const sample of fleetSamples(Math.max(sentToMs, nowMs - HISTORY_MS), nowMs)) await client.add(sample)
    await client.flush()
    sentToMs = nowMs
  }
  try {
    await catchUp()
    log(
      `demo fleet: ${DEMO_FLEET.length} cars, ${client.totals().accepted} new events of their last hours; they keep moving`,
    )
    for (;;) {
      await sleep(LIVE_EVERY_MS, undefined, { signal })
      await catchUp()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** What the whole fleet reports after `fromMs` up to `toMs`, in the order of time. */
function fleetSamples(fromMs: number, toMs: number): IngestSample[] {
  return DEMO_FLEET.flatMap(car => [...samplesBetween(car, fromMs, toMs)]).sort((a, b) => a.timeMs - b.timeMs)
}
