import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bareCopyText, bareCopyUs, meanOf } from './ingest.ts'
import type { BenchResult } from './result.ts'
import { allDerived, type RunningService } from './running-service.ts'
import { dongleAt, drivingSample, VALUES_EACH } from './teltonika-decode.ts'
import type { SenderNews, SenderTask } from './teltonika-sender.ts'

interface Load {
  readonly name: string
  readonly connections: number
  readonly recordsEach: number
  readonly packets: number
  readonly atLeast: number
}

const CATCHING_UP: Load = {
  name: 'Teltonika TCP, catching up',
  connections: 200,
  recordsEach: 20,
  packets: 150,
  atLeast: 0.4,
}
const LIVE: Load = { name: 'Teltonika TCP, live', connections: 10_000, recordsEach: 1, packets: 40, atLeast: 0.12 }
/** Enough rows for a rate of COPY. */
const COPIED_SAMPLES = 200_000
/** Packets of each connection before anything is measured: dongles join, partitions are made, code is compiled. */
const WARM_UP_PACKETS = 4

/**
 * Records over TCP, as dongles send them: from the first byte until everything is committed, acknowledged and derived,
 * against a bare binary COPY of the same rows.
 */
export async function benchTeltonikaIngest(service: RunningService): Promise<BenchResult[]> {
  return [await measure(service, CATCHING_UP), await measure(service, LIVE)]
}

/** Dongles that each send a record when the one before is acknowledged, until everything is derived. */
export async function sendLive(
  service: RunningService,
  connections: number,
  packets: number,
): Promise<{ readonly derivedMs: number }> {
  const task = { port: service.teltonikaPort, connections, recordsEach: 1 }
  const startMs = Date.now() - (WARM_UP_PACKETS + packets) * 1000
  await send(service, { ...task, startMs, packets: WARM_UP_PACKETS, firstStep: 0 })
  return send(service, { ...task, startMs, packets, firstStep: WARM_UP_PACKETS })
}

async function measure(service: RunningService, load: Load): Promise<BenchResult> {
  const { connections, recordsEach, packets, name, atLeast } = load
  const steps = (WARM_UP_PACKETS + packets) * recordsEach
  // Up to now, so that the cars are on the road.
  const startMs = Date.now() - steps * 1000
  const task = { port: service.teltonikaPort, connections, recordsEach, startMs }
  await send(service, { ...task, packets: WARM_UP_PACKETS, firstStep: 0 })
  const samples = connections * packets * recordsEach
  const copied = Array.from({ length: Math.min(samples, COPIED_SAMPLES) }, (_, index) =>
    drivingSample(dongleAt(index % connections), startMs + (index % 1000), Math.floor(index / connections)),
  )
  const beforeUs = await bareCopyUs(service, copied)
  const { ackedMs, derivedMs } = await send(service, { ...task, packets, firstStep: WARM_UP_PACKETS * recordsEach })
  const copyUs = meanOf(beforeUs, await bareCopyUs(service, copied))
  const recordUs = (derivedMs * 1000) / samples
  return {
    name,
    measured: `${Math.round((samples * VALUES_EACH) / (derivedMs / 1000))} events/s, ${recordUs.toFixed(1)} µs a record, ${connections} connections with ${recordsEach} a packet; acknowledged after ${((ackedMs * 1000) / samples).toFixed(1)} µs`,
    against: bareCopyText(copyUs),
    ratio: copyUs / recordUs,
    target: { atLeast },
    figures: { recordUs, valuesEach: VALUES_EACH },
  }
}

async function send(
  service: RunningService,
  task: SenderTask,
): Promise<{ readonly ackedMs: number; readonly derivedMs: number }> {
  const child = fork(fileURLToPath(new URL('teltonika-sender.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  child.send(task)
  await news(child, 'ready')
  const started = performance.now()
  child.send('go')
  const { ms } = await news(child, 'done')
  await allDerived(service)
  return { ackedMs: ms, derivedMs: performance.now() - started }
}

async function news<Kind extends SenderNews['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<SenderNews, { kind: Kind }>> {
  const [told] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('the senders gave up'))),
  ])) as [SenderNews]
  if (told.kind !== kind) throw new Error(`the senders say ${told.kind}, not ${kind}`)
  return told as Extract<SenderNews, { kind: Kind }>
}
