import { Agent } from 'node:http'
import pino from 'pino'
import { startApiRole, startIntakeRole } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { generateVedShape, ingestBodies } from './made-samples.ts'
import { elapsedMs, median } from './result.ts'
import { accountWithKey, download, sendBodies } from './running-service.ts'

/*
 * The same service on one server and on Citus, in alternation: `PLAIN_DATABASE_URL=… CITUS_DATABASE_URL=… npx tsx lab/bench/citus.ts`, with two
 * migrated databases that hold nothing. Ratios are for one machine that all of them share: more machines are there to hold more.
 */
const SAMPLES = 60_000
const ROUNDS = 6
const CONNECTIONS = 16
const READS = 60
const WARM_UP_READS = 20
const EVENTS = 3500

const [plain, citus] = [await open('PLAIN_DATABASE_URL'), await open('CITUS_DATABASE_URL')]
const { bodies, events } = ingestBodies(
  [...generateVedShape({ vehicles: 133, samples: SAMPLES, seed: 7 })].sort((a, b) => a.timeMs - b.timeMs),
  1000,
)
const perRound = Math.floor(bodies.length / ROUNDS)
const seconds = { plain: [] as number[], citus: [] as number[] }
for (let round = 0; round < ROUNDS; round++) {
  const some = bodies.slice(round * perRound, (round + 1) * perRound)
  for (const [name, service] of [['plain', plain] as const, ['citus', citus] as const]) {
    seconds[name].push((await elapsedMs(() => sendBodies(service, some, CONNECTIONS))) / 1000)
  }
}
// The first round makes partitions and dongles.
const eventsPerS = (all: readonly number[]) => (events * (perRound / bodies.length)) / median(all.slice(1))
const ingest = { plain: eventsPerS(seconds.plain), citus: eventsPerS(seconds.citus) }
console.log(`ingest, events/s: ${ingest.plain.toFixed(0)} on one server, ${ingest.citus.toFixed(0)} on Citus:`)
console.log(`  ${(ingest.citus / ingest.plain).toFixed(2)} times (at least 0.25)`)

const day = await longestDay(plain)
const agent = new Agent({ keepAlive: true })
const ms = { plain: [] as number[], citus: [] as number[] }
for (let read = 0; read < READS + WARM_UP_READS; read++)
  for (const [name, service] of [['plain', plain] as const, ['citus', citus] as const]) {
    const list = `${service.url}/cc/v2.0/events?${day}&maxResults=${EVENTS}`
    ms[name].push(await elapsedMs(() => download(agent, list, service.key)))
  }
agent.destroy()
const read = { plain: median(ms.plain.slice(WARM_UP_READS)), citus: median(ms.citus.slice(WARM_UP_READS)) }
console.log(
  `vehicle-day of ${EVENTS} events: ${read.plain.toFixed(1)} ms on one server, ${read.citus.toFixed(1)} ms on Citus:`,
)
console.log(`  ${(read.citus / read.plain).toFixed(2)} times (at most 1.3)`)
await plain.stop()
await citus.stop()

async function open(variable: string) {
  const { [variable]: databaseUrl = '' } = process.env
  if (databaseUrl === '') throw new Error(`${variable} is not set`)
  const log = pino({ level: 'error' })
  const config = {
    ...readConfig({ PORT: '0', TELTONIKA_PORT: '0', UNKNOWN_DEVICES: 'accept', RATE_LIMIT: '1000000000' }),
    databaseUrl,
  }
  const intake = await startIntakeRole({ config, log })
  const intakeUrl = `http://127.0.0.1:${intake.port}`
  const api = await startApiRole({ config, log, intakeUrl: () => intakeUrl })
  const database = openDatabase({ url: databaseUrl })
  const { key } = await accountWithKey(database)
  return {
    url: `http://127.0.0.1:${api.port}`,
    key,
    database,
    async stop() {
      await api.stop()
      await intake.stop()
      await database.close()
    },
  }
}

async function longestDay({ database }: Awaited<ReturnType<typeof open>>): Promise<string> {
  const [row] = await database.rows<{ public_id: string; day: string }>(sql`
    select v.public_id, s.time::date::text as day
    from samples s join assignments a using (device_id) join vehicles v on v.id = a.vehicle_id
    group by 1, 2 order by count(*) desc limit 1`)
  if (!row) throw new Error('there are no vehicles')
  return `vehicleId=${row.public_id}&fromTimestamp=${row.day}T00:00:00Z&toTimestamp=${row.day}T23:59:59Z`
}
