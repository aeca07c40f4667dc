import { Agent } from 'node:http'
import { setInterval } from 'node:timers/promises'
import { sql } from '../../src/db/sql.ts'
import { download } from './http-sender.ts'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { pairRatios } from './spread.ts'

const EVENTS = 10_000
/** The first ones are cold: code is not compiled yet, pages are not in memory. */
const WARM_UP_RUNS = 60
const RUNS = 100
const AT_ONCE = 100

/** GET /events with 10,000 events: its time against JSON.stringify of the same objects, and memory with 100 at once. */
export async function benchEventsList(service: RunningService): Promise<BenchResult[]> {
  const { key, url } = service
  const list = `${url}/cc/v2.0/events?vehicleId=${await longestVehicle(service)}&fromTimestamp=2000-01-01&maxResults=${EVENTS}`
  const reply = await fetch(list, { headers: { authorization: `Bearer ${key}` } })
  const objects = (await reply.json()) as unknown[]
  if (objects.length !== EVENTS) throw new Error(`${objects.length} events instead of ${EVENTS}`)
  const agent = new Agent({ keepAlive: true })
  const httpMs: number[] = []
  const stringifyMs: number[] = []
  // Alternately, so that both run under the same load of a shared machine.
  for (let run = 0; run < WARM_UP_RUNS + RUNS; run++) {
    httpMs.push(await timeMs(() => download(agent, list, key)))
    stringifyMs.push(await timeMs(async () => JSON.stringify(objects)))
  }
  const peakBytes = await peakWhile(service, () =>
    Promise.all(Array.from({ length: AT_ONCE }, () => download(agent, list, key))),
  )
  agent.destroy()
  return [
    {
      name: 'GET /events, 10,000 events',
      measured: `${median(httpMs.slice(WARM_UP_RUNS)).toFixed(1)} ms over HTTP, query included (first ${httpMs[0]?.toFixed(1)} ms)`,
      against: `JSON.stringify of the same objects ${median(stringifyMs.slice(WARM_UP_RUNS)).toFixed(1)} ms`,
      ratio: median(httpMs.slice(WARM_UP_RUNS)) / median(stringifyMs.slice(WARM_UP_RUNS)),
      target: { atMost: 2.5 },
      runs: pairRatios(httpMs.slice(WARM_UP_RUNS), stringifyMs.slice(WARM_UP_RUNS)),
    },
    {
      name: 'Memory of 100 such answers at once',
      measured: `${(peakBytes / 1e6).toFixed(0)} MB resident at most in the api process`,
      against: '300 MB',
      ratio: peakBytes / 300e6,
      target: { atMost: 1 },
    },
  ]
}

/** The vehicle with the most events, by its public id. */
async function longestVehicle({ database }: RunningService): Promise<string> {
  const [row] = await database.rows<{ public_id: string }>(sql`
    select v.public_id from samples s join assignments a using (device_id) join vehicles v on v.id = a.vehicle_id
    group by v.public_id order by count(*) desc limit 1`)
  if (!row) throw new Error('there are no vehicles')
  return row.public_id
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function peakWhile(service: RunningService, work: () => Promise<unknown>): Promise<number> {
  const done = new AbortController()
  let peakBytes = 0
  const watch = async () => {
    for await (const _ of setInterval(10, undefined, { signal: done.signal }))
      peakBytes = Math.max(peakBytes, await service.residentBytes('api'))
  }
  const watching = watch().catch(() => undefined)
  await work()
  done.abort()
  await watching
  return peakBytes
}
