import { ensureAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { pointsOf } from '../../src/derive/trips/derive/route.ts'
import { readVisits } from '../../src/fleet/areas/read-visits.ts'
import { USUAL_PRESENCE } from '../../src/model/areas/presence.ts'
import type { AreaShape } from '../../src/model/areas/shape.ts'
import type { Position } from '../../src/model/sample.ts'
import { elapsedMs } from './elapsed.ts'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { customerAt, DEPOT, fillVisitedFleet, type VisitedFleet } from './visited-fleet.ts'

const VEHICLES = 100
const DAYS = 90
const DAY_MS = 86_400_000
const RUNS = 5
const RADIUS_M = 150
const CUSTOMER = 3
const TARGET_MS = 2000

/**
 * Who was at a place in 90 days, of 100 cars. At a customer, as it is asked mostly: a drawing, and an area that is stored. At the depot, where
 * half of all trips begin or end and every night is spent.
 */
export async function benchVisits(service: RunningService): Promise<BenchResult[]> {
  const { accountId, key } = await account(service)
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS
  const fleet: VisitedFleet = { accountId, vehicles: VEHICLES, days: DAYS, startMs, firstDeviceId: 7_000_000_001 }
  const samples = await fillVisitedFleet(service.database, fleet)
  const period = {
    fromTimestamp: new Date(startMs).toISOString(),
    toTimestamp: new Date(startMs + DAYS * DAY_MS).toISOString(),
  }
  const client = { url: `${service.url}/cc/v2.0`, key }
  const askDrawing = (at: Position) => () => ask(client, '/visits', { ...drawingAt(at), ...period })
  const customer = customerAt(CUSTOMER)
  const { id } = await ask(client, '/areas', { name: 'Customer', ...drawingAt(customer) })
  const askArea = () => ask(client, `/areas/${id}/visits?${new URLSearchParams(period).toString()}`)
  const decode = () => decodeRoutes(service, accountId)

  const results: BenchResult[] = []
  for (const [name, place, question] of [
    ['POST /visits, a customer', customer, askDrawing(customer)],
    ['GET /areas/{id}/visits, a customer', customer, askArea],
    ['POST /visits, the depot of all cars', DEPOT, askDrawing(DEPOT)],
  ] as const) {
    const { ms, decodedMs, text } = await measured(question, decode)
    results.push({
      name: `${name}, ${VEHICLES} cars, ${DAYS} days, ${(samples / 1e6).toFixed(1)} million samples`,
      measured: `${text}, ${await tripsRead(service, fleet, place)}`,
      against: `${TARGET_MS} ms; all routes read and decoded, and nothing else: ${decodedMs.toFixed(0)} ms`,
      ratio: ms / TARGET_MS,
      target: { atMost: 1 },
    })
  }
  return results
}

/** Alternately, so that both run under the same load of a shared machine. */
async function measured(question: () => Promise<Answer>, decode: () => Promise<unknown>) {
  const askedMs: number[] = []
  const decodedMs: number[] = []
  let visits = 0
  for (let run = 0; run < RUNS; run++) {
    askedMs.push(await elapsedMs(async () => (visits = (await question()).visits?.length ?? 0)))
    decodedMs.push(await elapsedMs(decode))
  }
  const text = `${median(askedMs).toFixed(0)} ms (first ${askedMs[0]?.toFixed(0)} ms) for ${visits} visits`
  return { ms: median(askedMs), decodedMs: median(decodedMs), text }
}

function account({ database }: RunningService): Promise<{ accountId: number; key: string }> {
  return writeTransaction(database, async transaction => {
    const { id: accountId } = await ensureAccount(transaction, 'Who was here')
    const terms = { accountId, name: 'bench', permissions: ALL_PERMISSIONS, expires: undefined }
    return { accountId, key: (await createKey(transaction, terms)).secret }
  })
}

function drawingAt({ lon, lat }: Position) {
  return { geometry: { type: 'Point', coordinates: [lon, lat] }, radiusM: RADIUS_M }
}

/** The same question, asked of the function below the API, which tells more. */
async function tripsRead({ database }: RunningService, fleet: VisitedFleet, at: Position): Promise<string> {
  const { accountId, startMs, days } = fleet
  const range = { fromMs: startMs, toMs: startMs + days * DAY_MS }
  const shape: AreaShape = { type: 'circle', center: [at.lon, at.lat], radiusM: RADIUS_M }
  const { trips, tripsRead: read } = await readVisits(database.readsOf(accountId), {
    accountId,
    versions: [{ ...range, shape }],
    range,
    vehicleId: undefined,
    settings: USUAL_PRESENCE,
    nextTurn: async () => undefined,
  })
  return `${read} of ${trips} trips read (${((100 * read) / trips).toFixed(1)} %)`
}

async function decodeRoutes({ database }: RunningService, accountId: number): Promise<void> {
  const trips = await database.rows<{ polyline: string }>(
    sql`select polyline from trips where account_id = ${accountId}`,
  )
  for (const { polyline } of trips) pointsOf(polyline)
}

interface Answer {
  readonly id?: string
  readonly visits?: readonly unknown[]
}

async function ask(
  client: { readonly url: string; readonly key: string },
  path: string,
  body?: object,
): Promise<Answer> {
  const reply = await fetch(client.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${client.key}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
  return (await reply.json()) as Answer
}
