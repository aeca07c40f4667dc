import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connectAsync, type MqttClient } from 'mqtt'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { sql } from '../../src/db/sql.ts'
import type { Sample } from '../../src/model/sample.ts'
import { encodeSamples } from '../../src/store/index.ts'
import { freePort } from '../../test/free-port.ts'
import { MOSQUITTO } from '../../test/mosquitto-file.ts'
import { type Burst, sendBurst } from './dongles.ts'
import { dongleAt, fullRecord, generateVedShape, ingestBodies, ingestEventsOf, VALUES_EACH } from './made-samples.ts'
import { type BenchResult, elapsedMs, median, pairRatios } from './result.ts'
import { type RunningService, sendBodies } from './running-service.ts'

const SAMPLES = 322_263
const CONNECTIONS = 16

export async function benchIngest(service: RunningService): Promise<BenchResult> {
  const samples = [...generateVedShape({ vehicles: 133, samples: SAMPLES, seed: 7 })].sort(
    (a, b) => a.timeMs - b.timeMs,
  )
  const { bodies, events } = ingestBodies(samples, 1000)
  const half = Math.floor(bodies.length / 2)
  // The first half warms everything up, partitions and devices included.
  await sendBodies(service, bodies.slice(0, half), CONNECTIONS)
  const { copyUs, ms } = await besideCopy(service, samples, () =>
    elapsedMs(() => sendBodies(service, bodies.slice(half), CONNECTIONS)),
  )
  const seconds = ms / 1000
  const measuredPart = 1 - half / bodies.length
  const ingestPerS = (events * measuredPart) / seconds
  const sampleUs = (1e6 * seconds) / (samples.length * measuredPart)
  return {
    name: 'HTTP ingest',
    measured: `${Math.round(ingestPerS)} events/s in batches of 1,000 over ${CONNECTIONS} connections, ${sampleUs.toFixed(1)} µs a sample, committed`,
    against: bareCopyText(copyUs),
    ratio: copyUs / sampleUs,
    target: { atLeast: 0.1 },
    figures: { sampleUs, valuesEach: events / samples.length },
  }
}

/** The yardstick (docs/adr/0015): one binary COPY into a table with the same indexes. @returns microseconds a sample */
async function bareCopyUs(service: RunningService, samples: readonly Sample[]): Promise<number> {
  const rows = encodeSamples(samples, await service.database.layouts.idsOf(samples), Date.now() * 1000)
  const client = new Client({ connectionString: service.databaseUrl })
  await client.connect()
  try {
    await client.query('create table bare (like samples including all)')
    const started = performance.now()
    await pipeline(
      Readable.from([rows], { objectMode: false }),
      client.query(copyFrom('copy bare (device_id, time, stored, layout_id, numbers, texts) from stdin binary')),
    )
    return ((performance.now() - started) * 1000) / samples.length
  } finally {
    await client.query('drop table if exists bare')
    await client.end()
  }
}

/** One copy before the work and one after it, because the machine may be busier at one time than at another. */
async function besideCopy(
  service: RunningService,
  samples: readonly Sample[],
  work: () => Promise<number>,
): Promise<{ readonly copyUs: number; readonly ms: number }> {
  const beforeUs = await bareCopyUs(service, samples)
  const ms = await work()
  return { ms, copyUs: (beforeUs + (await bareCopyUs(service, samples))) / 2 }
}

function bareCopyText(us: number): string {
  return `bare binary COPY of the same rows ${us.toFixed(1)} µs`
}

interface TeltonikaLoad extends Burst {
  readonly name: string
  readonly atLeast: number
}

const CATCHING_UP = {
  name: 'Teltonika TCP, catching up',
  connections: 200,
  recordsEach: 20,
  packets: 150,
  atLeast: 0.4,
}
const LIVE = { name: 'Teltonika TCP, live', connections: 10_000, recordsEach: 1, packets: 40, atLeast: 0.12 }
const COPIED_SAMPLES = 200_000

/** From the first byte until all is committed, acknowledged and derived, against a bare COPY of the same rows. */
export async function benchTeltonikaIngest(service: RunningService): Promise<BenchResult[]> {
  const results = [await measureTeltonika(service, CATCHING_UP), await measureTeltonika(service, LIVE)]
  // PostgreSQL finishes what a million new rows left to do, which it would else do while reading is measured.
  await service.database.writers.query('vacuum analyze')
  await service.database.writers.query('checkpoint')
  return results
}

async function measureTeltonika(service: RunningService, load: TeltonikaLoad): Promise<BenchResult> {
  const { connections, recordsEach, packets, name, atLeast } = load
  const samples = connections * packets * recordsEach
  let copied: Sample[] = []
  let beforeUs = 0
  const { ackedMs, derivedMs } = await sendBurst(service, load, async startMs => {
    copied = Array.from({ length: Math.min(samples, COPIED_SAMPLES) }, (_, index) =>
      fullRecord(dongleAt(index % connections), startMs + (index % 1000), Math.floor(index / connections)),
    )
    beforeUs = await bareCopyUs(service, copied)
  })
  const copyUs = (beforeUs + (await bareCopyUs(service, copied))) / 2
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

const FIRST_DONGLE = 800_000
const DEVICES = 200
const RECORDS_EACH = 20
const MESSAGES_EACH = 5
const ROUNDS = 3
const PUBLISHERS = 8
const POLL_MS = 20
const TIMEOUT_MS = 120_000

/** A broker in a process of its own, for the setting MQTT_URL: Mosquitto where it is installed, else the one of MQTT 3.1.1 that tests use. */
export async function startBroker(): Promise<{
  readonly environment: Readonly<Record<string, string>>
  stop(): Promise<void>
}> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'tacho-bench-broker-'))
  const file = join(folder, 'mosquitto.conf')
  const user = process.getuid?.() === 0 ? ['user root'] : []
  const lines = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'max_queued_messages 0', ...user, '']
  await writeFile(file, lines.join('\n'))
  const child = MOSQUITTO
    ? spawn(MOSQUITTO, ['-c', file], { stdio: 'ignore' })
    : fork(fileURLToPath(new URL('../../test/aedes-process.mjs', import.meta.url)), [String(port)], { execArgv: [] })
  while (!(await isOpen(port))) await sleep(POLL_MS)
  return {
    environment: { MQTT_URL: `mqtt://127.0.0.1:${port}` },
    async stop() {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connectSocket(port, '127.0.0.1')
  const isThere = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isThere
}

/** Messages of 20 records through a broker, from the first publication until all is committed, against a bare COPY of the rows. */
export async function benchIngestMqtt(service: RunningService): Promise<BenchResult> {
  const url = service.environment.MQTT_URL ?? ''
  const publishers = await Promise.all(Array.from({ length: PUBLISHERS }, () => connectAsync(url)))
  const recordUs: number[] = []
  const copiesUs: number[] = []
  try {
    // The first round registers the devices and compiles the code.
    for (let round = 0; round <= ROUNDS; round++) {
      const samples = samplesOf(round)
      // Made before, because JSON of 440 events takes a sender longer than us.
      const messages = messagesOf(round)
      const stored = await countStored(service)
      const { copyUs, ms } = await besideCopy(service, samples, () =>
        elapsedMs(async () => {
          await publishAll(publishers, messages)
          await untilStored(service, stored + samples.length)
        }),
      )
      if (round === 0) continue
      recordUs.push((ms * 1000) / samples.length)
      copiesUs.push(copyUs)
    }
  } finally {
    await Promise.all(publishers.map(publisher => publisher.endAsync(true)))
  }
  return {
    name: 'MQTT ingest',
    measured: `${median(recordUs).toFixed(1)} µs a record of ${VALUES_EACH} values, ${RECORDS_EACH} a message, QoS 1, ${MOSQUITTO ? 'MQTT 5 over Mosquitto' : 'MQTT 3.1.1 over Aedes'}, from publishing to the commit`,
    against: bareCopyText(median(copiesUs)),
    ratio: median(copiesUs) / median(recordUs),
    target: { atLeast: 0.1 },
    runs: pairRatios(copiesUs, recordUs),
    figures: { recordUs: median(recordUs), valuesEach: VALUES_EACH },
  }
}

const START_MS = Date.now() - (ROUNDS + 1) * MESSAGES_EACH * RECORDS_EACH * 1000

function samplesOf(round: number) {
  return Array.from({ length: DEVICES * MESSAGES_EACH * RECORDS_EACH }, (_, index) => {
    const device = index % DEVICES
    return sampleAt(device, round * MESSAGES_EACH * RECORDS_EACH + Math.floor(index / DEVICES))
  })
}

function sampleAt(device: number, step: number) {
  return fullRecord(dongleAt(FIRST_DONGLE + device), START_MS + device, step)
}

interface Publication {
  readonly topic: string
  readonly body: string
}

function messagesOf(round: number): Publication[] {
  return Array.from({ length: MESSAGES_EACH * DEVICES }, (_, index) => {
    const device = index % DEVICES
    const first = (round * MESSAGES_EACH + Math.floor(index / DEVICES)) * RECORDS_EACH
    const records = Array.from({ length: RECORDS_EACH }, (_record, record) => sampleAt(device, first + record))
    const body = JSON.stringify(records.flatMap(ingestEventsOf))
    return { topic: `tacho/${dongleAt(FIRST_DONGLE + device)}/events`, body }
  })
}

/** Each publisher publishes when what it published before is acknowledged. Those of a device are of one publisher. */
async function publishAll(publishers: readonly MqttClient[], messages: readonly Publication[]): Promise<void> {
  await Promise.all(
    publishers.map(async (publisher, first) => {
      for (let index = first; index < messages.length; index += publishers.length) {
        const { topic, body } = messages[index] ?? { topic: '', body: '' }
        await publisher.publishAsync(topic, body, { qos: 1 })
      }
    }),
  )
}

async function countStored({ database }: RunningService): Promise<number> {
  const [from, to] = [dongleAt(FIRST_DONGLE), dongleAt(FIRST_DONGLE + DEVICES)]
  const [row] = await database.rows<{ count: number }>(
    sql`select count(*)::integer as count from samples where device_id >= ${from} and device_id < ${to}`,
  )
  return row?.count ?? 0
}

async function untilStored(service: RunningService, count: number): Promise<void> {
  const untilMs = performance.now() + TIMEOUT_MS
  while ((await countStored(service)) < count) {
    if (performance.now() > untilMs) throw new Error('what was published is not stored')
    await sleep(POLL_MS)
  }
}
