import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EventTypeName, requiredEventType } from '../../src/catalogue/event-types.ts'
import { lockDevices } from '../../src/db/shards/locked-devices.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { instantOfMs } from '../../src/db/values.ts'
import { type DeviceId, type EventValue, type Sample, sampleOf } from '../../src/model/sample.ts'
import { insertSamples, Partitions } from '../../src/store/index.ts'
import { elapsedMs } from './elapsed.ts'
import { download, sendBodies } from './http-sender.ts'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { ingestBodies } from './sample-events.ts'

const DEVICE = 356_307_042_999_999 as DeviceId
const DAY_MS = 86_400_000
const DAYS = 91
const START_MS = Date.UTC(2022, 0, 1)
/** Two drives a day, a sample a second. */
const SAMPLES_OF_A_DAY = 8220
/** As wide as a chart of 1,000 pixels needs. */
const MAX_POINTS = 4000
/** Some 100,000 samples. */
const SHORT_DAYS = 12
const RUNS = 7
const COPY_SAMPLES = 50_000

/** Charts of one event type of a car: of 100,000 events and of a quarter of a year, 750,000, thinned by the server. */
export async function benchEventsThinned(service: RunningService): Promise<BenchResult[]> {
  await fillQuarter(service)
  return [await benchShort(service), ...(await benchQuarter(service))]
}

/** Against the list that is not thinned: all of its pages, and the client's JSON.parse. */
async function benchShort(service: RunningService): Promise<BenchResult> {
  const toMs = START_MS + SHORT_DAYS * DAY_MS
  const thinned: ReadList[] = []
  const whole: ReadList[] = []
  for (let run = 0; run < RUNS; run++) {
    thinned.push(await readList(service, toMs, `maxPoints=${MAX_POINTS}`))
    whole.push(await readList(service, toMs, 'maxResults=10000'))
  }
  const medianMs = (lists: readonly ReadList[]) => median(lists.map(({ ms }) => ms))
  return {
    name: `GET /events, ${whole[0]?.events} events in ${MAX_POINTS} points`,
    measured: `${medianMs(thinned).toFixed(0)} ms, ${described(thinned)}`,
    against: `all pages ${medianMs(whole).toFixed(0)} ms, ${described(whole)}`,
    ratio: medianMs(thinned) / medianMs(whole),
    target: { atMost: 0.5 },
  }
}

/** Against PostgreSQL, which only looks at the same samples; and what others notice of it. */
async function benchQuarter(service: RunningService): Promise<BenchResult[]> {
  const toMs = START_MS + DAYS * DAY_MS
  const scanMs = await elapsedMs(() =>
    service.database.rows(sql`
      select sum(octet_length(numbers)) from samples where device_id = ${DEVICE}
        and time >= ${instantOfMs(START_MS)} and time < ${instantOfMs(toMs)}`),
  )
  const alone = await othersWaitMs(service, sleep(2000))
  const residentBytes = await service.residentBytes('api')
  const beside = await othersWaitMs(service, readList(service, toMs, `maxPoints=${MAX_POINTS}`))
  const grownMb = ((await service.residentBytes('api')) - residentBytes) / 1e6
  const list = beside.result
  return [
    {
      name: `GET /events, ${DAYS * SAMPLES_OF_A_DAY} events in ${MAX_POINTS} points`,
      measured: `${(list.ms / 1000).toFixed(1)} s, ${described([list])}; ${grownMb.toFixed(0)} MB more in the api process`,
      against: `PostgreSQL adding up the bytes of these samples ${(scanMs / 1000).toFixed(2)} s`,
      ratio: list.ms / scanMs,
      target: { atMost: 15 },
    },
    {
      name: 'GET /vehicles/{id} beside it',
      measured: `${median(beside.waitMs).toFixed(1)} ms, of 100 the slowest ${slowest(beside.waitMs).toFixed(1)} ms`,
      against: `alone ${median(alone.waitMs).toFixed(1)} ms, of 100 the slowest ${slowest(alone.waitMs).toFixed(1)} ms`,
      ratio: median(beside.waitMs) / median(alone.waitMs),
      target: { atMost: 3 },
    },
  ]
}

/** How long requests of others wait for their answers as long as something goes on. */
async function othersWaitMs<T>({ url, key }: RunningService, work: Promise<T>) {
  const agent = new Agent({ keepAlive: true })
  const waitMs: number[] = []
  const done = work.then(result => ({ result }))
  for (;;) {
    const ended = await Promise.race([done, sleep(5)])
    if (ended) {
      agent.destroy()
      return { waitMs, result: ended.result }
    }
    waitMs.push(await elapsedMs(() => download(agent, `${url}/cc/v2.0/vehicles/IMEI_${DEVICE}`, key)))
  }
}

interface ReadList {
  readonly events: number
  readonly bytes: number
  /** Until all of it is parsed. */
  readonly ms: number
  /** How much of that was JSON.parse. */
  readonly parseMs: number
}

/** Reads a list from the start of the quarter to its last page and parses it, as a client does. */
async function readList({ url, key }: RunningService, toMs: number, bound: string): Promise<ReadList> {
  const started = performance.now()
  const range = `fromTimestamp=${new Date(START_MS).toISOString()}&toTimestamp=${new Date(toMs - 1).toISOString()}`
  let [events, bytes, parseMs] = [0, 0, 0]
  let next: string | undefined = `/cc/v2.0/events?deviceId=${DEVICE}&eventType=VEHICLE_SPEED_AVERAGE&${range}&${bound}`
  while (next !== undefined) {
    const reply: Response = await fetch(url + next, { headers: { authorization: `Bearer ${key}` } })
    if (!reply.ok) throw new Error(`status ${reply.status}`)
    const text = await reply.text()
    bytes += text.length
    parseMs += await elapsedMs(async () => (events += (JSON.parse(text) as unknown[]).length))
    next = /<(.*)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
  }
  return { events, bytes, ms: performance.now() - started, parseMs }
}

function described(lists: readonly ReadList[]): string {
  const [list] = lists
  const parseMs = median(lists.map(one => one.parseMs))
  return `${list?.events} events, ${Math.round((list?.bytes ?? 0) / 1000)} kB, JSON.parse ${parseMs.toFixed(1)} ms of it`
}

/** Both ends come through the front door, so that everything knows of the car, and the rest by COPY. */
async function fillQuarter(service: RunningService): Promise<void> {
  const { database } = service
  const partitions = new Partitions(database)
  const lastMs = START_MS + DAYS * DAY_MS - 1000
  await sendBodies(service, ingestBodies([sampleAt(START_MS, 0), sampleAt(lastMs, 1)], 1000).bodies, 1)
  let samples: Sample[] = []
  const store = async () => {
    await partitions.ensure(samples.map(({ timeMs }) => timeMs))
    await writeTransaction(database, async transaction => {
      const locked = await lockDevices(transaction, new Set(samples.map(({ deviceId }) => deviceId)))
      await insertSamples(locked, samples, await transaction.takeRevisions(1))
    })
    samples = []
  }
  for (let day = 0; day < DAYS; day++) {
    for (let step = 0; step < SAMPLES_OF_A_DAY; step++) {
      const hour = step < SAMPLES_OF_A_DAY / 2 ? 7 : 16
      samples.push(sampleAt(START_MS + day * DAY_MS + hour * 3_600_000 + step * 1000, day * SAMPLES_OF_A_DAY + step))
    }
    if (samples.length >= COPY_SAMPLES) await store()
  }
  await store()
  await database.writers.query('vacuum analyze samples')
  await database.writers.query('checkpoint')
}

function sampleAt(timeMs: number, step: number): Sample {
  const wave = Math.sin(step / 97) * Math.sin(step / 1013)
  const events: readonly (readonly [EventTypeName, EventValue])[] = [
    ['VEHICLE_SPEED_AVERAGE', Math.round(60 + 60 * wave)],
    ['ENGINE_RPM_AVERAGE', Math.round(2000 + 1200 * wave)],
    ['ENGINE_LOAD_AVERAGE', Math.round(50 + 40 * wave) * (100 / 255)],
    ['AMBIENT_AIR_TEMPERATURE', Math.round(20 + 10 * Math.sin(step / 10_000)) / 2],
    ['POSITION', { lon: 11.5 + (step % 7919) / 1e5, lat: 48.1 + (step % 6311) / 1e5 }],
  ]
  return sampleOf(DEVICE, timeMs, new Map(events.map(([name, value]) => [requiredEventType(name).id, value])))
}

function slowest(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN
}
