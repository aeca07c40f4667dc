import { setTimeout as sleep } from 'node:timers/promises'
import { type ReceivedFrame, StreamClient } from '../../test/stream-client.ts'
import { withHalfLoad } from './half-load.ts'
import type { BenchResult } from './result.ts'
import type { RunningService } from './running-service.ts'

const DONGLES = 1000
const RECORDS_PER_S = 100
const WARM_UP_MS = 40_000
const MEASURED_MS = 30_000
const TARGET_MS = 1000

/** A position, with the time of its record: these dongles send a record in the millisecond in which they measure it. */
interface SeenPosition {
  readonly of: string
  readonly atMs: number
}

interface StreamedEvent {
  readonly device_id: number
  readonly recorded_timestamp: string
}

interface StreamedVehicle {
  readonly id: string
  readonly lastEvents: readonly { readonly recordedTimestamp: string }[]
}

/** How long after a dongle sends a record its position is on a stream, while a thousand send one every ten seconds. */
export async function benchStreamLatency(service: RunningService): Promise<BenchResult[]> {
  return withHalfLoad(service, { dongles: DONGLES, recordsPerS: RECORDS_PER_S, warmUpMs: WARM_UP_MS }, async () => {
    const stream = await StreamClient.open({
      url: service.url,
      token: service.key,
      query: 'resources=events,vehicles&eventTypes=POSITION&lastEventTypes=POSITION',
    })
    await stream.ready()
    const openedMs = Date.now()
    await sleep(MEASURED_MS)
    stream.cut()
    const framesOf = (name: string) => stream.frames.filter(({ event }) => event === name)
    return [
      ...resultsOf('a position on the stream', waitsMsOf(framesOf('events'), eventPositions, openedMs)),
      ...resultsOf('a vehicle on the stream', waitsMsOf(framesOf('vehicles'), vehiclePositions, openedMs)),
    ]
  })
}

function eventPositions({ data }: ReceivedFrame): SeenPosition[] {
  return (data as readonly StreamedEvent[]).map(event => ({
    of: String(event.device_id),
    atMs: Date.parse(event.recorded_timestamp),
  }))
}

function vehiclePositions({ data }: ReceivedFrame): SeenPosition[] {
  return (data as readonly StreamedVehicle[]).flatMap(({ id, lastEvents }) =>
    lastEvents.map(({ recordedTimestamp }) => ({ of: id, atMs: Date.parse(recordedTimestamp) })),
  )
}

/** Of each position that was measured since then, when it was there first: a vehicle comes again when anything of it changes. */
function waitsMsOf(
  frames: readonly ReceivedFrame[],
  positionsOf: (frame: ReceivedFrame) => readonly SeenPosition[],
  sinceMs: number,
): readonly number[] {
  const seen = new Map<string, number>()
  for (const frame of frames)
    for (const { of, atMs } of positionsOf(frame)) {
      const key = `${of} ${atMs}`
      if (atMs >= sinceMs && !seen.has(key)) seen.set(key, performance.timeOrigin + frame.receivedMs - atMs)
    }
  return [...seen.values()]
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
