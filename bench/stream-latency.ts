import { setTimeout as sleep } from 'node:timers/promises'
import { type ReceivedFrame, StreamClient } from '../test/stream-client.ts'
import { withHalfLoad } from './half-load.ts'
import type { BenchResult } from './result.ts'
import type { RunningService } from './running-service.ts'

const DONGLES = 1000
const RECORDS_PER_S = 100
const WARM_UP_MS = 40_000
const MEASURED_MS = 30_000
const TARGET_MS = 1000

/** A value with the time of the record that has it: these dongles send a record in the millisecond in which they measure it. */
interface SeenValue {
  readonly recordedTimestamp: string
}

/** How long after a dongle sends a record its position is on a stream, while a thousand send one every ten seconds. */
export async function benchStreamLatency(service: RunningService): Promise<BenchResult[]> {
  return withHalfLoad(service, { dongles: DONGLES, recordsPerS: RECORDS_PER_S, warmUpMs: WARM_UP_MS }, async () => {
    const stream = await StreamClient.open({
      url: `${service.url}/cc/v2.0`,
      token: service.key,
      query: 'resources=events,vehicles&eventTypes=POSITION&lastEventTypes=POSITION',
    })
    await stream.ready()
    await sleep(MEASURED_MS)
    stream.cut()
    return [
      ...resultsOf(
        'a position on the stream',
        waitsMsOf(stream, 'events', data => [data as SeenValue]),
      ),
      ...resultsOf(
        'a vehicle on the stream',
        waitsMsOf(stream, 'vehicles', data => (data as { readonly lastEvents: readonly SeenValue[] }).lastEvents),
      ),
    ]
  })
}

function waitsMsOf(
  { frames }: StreamClient,
  name: string,
  valuesOf: (object: unknown) => readonly SeenValue[],
): readonly number[] {
  return frames
    .filter(({ event }) => event === name)
    .flatMap(frame => (frame.data as readonly unknown[]).flatMap(valuesOf).map(value => waitMs(frame, value)))
}

function waitMs({ receivedMs }: ReceivedFrame, { recordedTimestamp }: SeenValue): number {
  return performance.timeOrigin + receivedMs - Date.parse(recordedTimestamp)
}

function resultsOf(name: string, waitsMs: readonly number[]): BenchResult[] {
  const sorted = [...waitsMs].sort((a, b) => a - b)
  return [0.5, 0.99].map(share => {
    const ms = sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    return {
      name: `${name}, p${share * 100}`,
      measured: `${ms.toFixed(0)} ms after its record was sent, ${sorted.length} of them, ${DONGLES} dongles with ${RECORDS_PER_S} records a second`,
      against: `${TARGET_MS} ms`,
      ratio: ms / TARGET_MS,
      target: { atMost: 1 },
    }
  })
}
