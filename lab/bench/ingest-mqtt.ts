import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connectAsync, type MqttClient } from 'mqtt'
import { sql } from '../../src/db/sql.ts'
import { freePort } from '../../test/free-port.ts'
import { MOSQUITTO } from '../../test/mosquitto-file.ts'
import { bareCopyText, bareCopyUs, meanOf } from './bare-copy.ts'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { ingestEventsOf } from './sample-events.ts'
import { pairRatios } from './spread.ts'
import { dongleAt, drivingSample, VALUES_EACH } from './teltonika-drive.ts'

/** Not those of other benchmarks. */
const FIRST_DONGLE = 800_000
const DEVICES = 200
/** Of a message: what a device kept for a while. */
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
      const beforeUs = await bareCopyUs(service, samples)
      const stored = await countStored(service)
      const startedMs = performance.now()
      await publishAll(publishers, messages)
      await untilStored(service, stored + samples.length)
      const elapsedUs = (performance.now() - startedMs) * 1000
      const copyUs = meanOf(beforeUs, await bareCopyUs(service, samples))
      if (round === 0) continue
      recordUs.push(elapsedUs / samples.length)
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
  return drivingSample(dongleAt(FIRST_DONGLE + device), START_MS + device, step)
}

interface Publication {
  readonly topic: string
  readonly body: string
}

/** Of all devices, the first message of each first. */
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
