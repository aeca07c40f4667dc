import { setTimeout as sleep } from 'node:timers/promises'
import { ensureAccount } from '../../src/access/accounts.ts'
import { createKey } from '../../src/access/keys.ts'
import { ALL_PERMISSIONS } from '../../src/catalogue/permissions.ts'
import type { Database } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { createAreas } from '../../src/fleet/areas/change-areas.ts'
import { createRule } from '../../src/fleet/rules/change-rules.ts'
import { inLanes } from '../../src/lib/in-lanes.ts'
import { DEFAULT_AREA_COLOR } from '../../src/model/areas/shape.ts'
import type { DeviceId } from '../../src/model/sample.ts'
import { sealDay } from '../../src/store/index.ts'
import { allDerived } from './all-derived.ts'
import { elapsedMs } from './elapsed.ts'
import { batchOf } from './half-hour-drives.ts'
import { sendBodies } from './http-sender.ts'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { ingestBodies } from './sample-events.ts'
import { customerAt, fillVisitedFleet } from './visited-fleet.ts'

const DAY_MS = 86_400_000
const DAYS = 90
/** Not a part of them: a thread that begins to fold has its code compiled first, which many cars share. */
const VEHICLES = 100
const RUNS = 3
const FIRST_DEVICE_ID = 7_100_000_001
/** What a service seals by default is older. */
const HOT_DAYS = 7
const SEALING_LANES = 2
/** Some cars after others, as a replay goes fastest; enough of them for what waits to be derived at the end to be a small part. */
const REPLAYED = { devices: 20, samplesEach: 500, groups: 8 }
const EVENTS_PER_BODY = 2000
const CONNECTIONS = 4

/** What is tried: rules that find nothing or little read little, and those that look at each drive read all. */
const TRIED = [
  { named: 'speeding that is rare', kind: 'SPEEDING', parameters: { limitKmh: 100 } },
  { named: 'speeding in each drive', kind: 'SPEEDING', parameters: { limitKmh: 45 } },
  { named: 'visits of a customer', kind: 'AREA_ENTERED', parameters: {} },
  { named: 'a number', kind: 'VALUE_ABOVE', parameters: { eventType: 'ENGINE_RPM_AVERAGE', limit: 3000 } },
  { named: 'trouble codes', kind: 'TROUBLE_CODE', parameters: {} },
  { named: 'towing', kind: 'TOWED', parameters: {} },
] as const

/**
 * Rules tried on 90 days of stored samples, against sending as many samples through the ingest of an account that has such a rule, until all
 * is derived: both as time a sample.
 */
export async function benchPreview(service: RunningService): Promise<BenchResult[]> {
  const { accountId, key } = await account(service)
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS
  const stored = await fillVisitedFleet(service.database, {
    accountId,
    vehicles: VEHICLES,
    days: DAYS,
    startMs,
    firstDeviceId: FIRST_DEVICE_ID,
  })
  const period = {
    fromTimestamp: new Date(startMs).toISOString(),
    toTimestamp: new Date(startMs + DAYS * DAY_MS).toISOString(),
  }
  const replay = await replayAccount(service)
  const acknowledgedMs: number[] = []
  const derivedMs: number[] = []
  const client = { url: `${service.url}/cc/v2.0`, key }
  const inRows = triesOf(period)
  for (let run = 0; run < RUNS; run++) {
    await tryAll(client, inRows)
    const bodies = replayed(run)
    const begunMs = performance.now()
    await sendBodies({ url: service.intakeUrl, key: replay.key }, bodies, CONNECTIONS)
    acknowledgedMs.push(performance.now() - begunMs)
    await allDerived(service)
    derivedMs.push(performance.now() - begunMs)
  }
  await sealAll(service.database, startMs)
  const sealed = triesOf(period)
  for (let run = 0; run < RUNS; run++) await tryAll(client, sealed)
  const samplesReplayed = REPLAYED.devices * REPLAYED.samplesEach * REPLAYED.groups
  const replayUs = (median(derivedMs) * 1000) / samplesReplayed
  const acknowledgedUs = (median(acknowledgedMs) * 1000) / samplesReplayed
  const results = (state: string, tries: readonly Try[]) =>
    tries.map(({ named, previewsMs, tried }): BenchResult => {
      if (tried.samples !== stored) throw new Error(`the preview judged ${tried.samples} of ${stored} samples`)
      const previewUs = (median(previewsMs) * 1000) / stored
      const wholeS = (median(previewsMs) / 1000).toFixed(1)
      return {
        name: `POST /rules/preview of ${named}, ${VEHICLES} cars, ${DAYS} days, ${(stored / 1e6).toFixed(1)} million samples ${state}`,
        measured: `${previewUs.toFixed(2)} µs a sample, ${wholeS} s, ${tried.count} incidents, ${tried.progress} times progress`,
        against: `sent through POST /ingest/events ${replayUs.toFixed(1)} µs a sample until derived, ${acknowledgedUs.toFixed(1)} until acknowledged`,
        ratio: replayUs / previewUs,
        target: { atLeast: 50 },
      }
    })
  return [...results('in rows', inRows), ...results('of which all but a week are sealed', sealed)]
}

interface Try {
  readonly named: string
  readonly body: object
  readonly previewsMs: number[]
  tried: Tried
}

function triesOf(period: object): readonly Try[] {
  return TRIED.map(({ named, kind, parameters }) => ({
    named,
    body: { kind, parameters, ...period },
    previewsMs: [],
    tried: { samples: 0, count: 0, progress: 0 },
  }))
}

async function tryAll(client: Parameters<typeof preview>[0], tries: readonly Try[]): Promise<void> {
  for (const each of tries)
    each.previewsMs.push(
      await elapsedMs(async () => {
        each.tried = await preview(client, each.body)
      }),
    )
}

/** As a service does in the night after a day, but for the last week. */
async function sealAll(database: Database, startMs: number): Promise<void> {
  const cars = Array.from({ length: VEHICLES }, (_, vehicle) => (FIRST_DEVICE_ID + vehicle) as DeviceId)
  for await (const _ of inLanes(cars, SEALING_LANES, async function* (deviceId) {
    for (let day = 0; day < DAYS - HOT_DAYS; day++) {
      const fromMs = startMs + day * DAY_MS
      yield await sealDay(database, deviceId, { fromMs, toMs: fromMs + DAY_MS })
    }
  }));
  await database.writers.query('vacuum analyze samples')
  await database.writers.query('vacuum analyze sealed_days')
}

function account({ database }: RunningService): Promise<{ accountId: number; key: string }> {
  return writeTransaction(database, async transaction => {
    const { id: accountId } = await ensureAccount(transaction, 'A rule on the past')
    const terms = { accountId, name: 'bench', permissions: ALL_PERMISSIONS, expires: undefined }
    const customer = customerAt(7)
    const shape = { type: 'circle', center: [customer.lon, customer.lat], radiusM: 150 } as const
    const area = {
      name: 'A customer',
      kind: 'CUSTOMER',
      color: DEFAULT_AREA_COLOR,
      shape,
      validFrom: undefined,
    } as const
    await createAreas(transaction, { accountId }, [area], 1)
    return { accountId, key: (await createKey(transaction, terms)).secret }
  })
}

/** An account with a rule that finds something in each drive: without a rule, a replay would find no incident. */
async function replayAccount({ database }: RunningService): Promise<{ key: string }> {
  const [, speeding] = TRIED
  const made = await writeTransaction(database, async transaction => {
    const { id: accountId } = await ensureAccount(transaction, 'A replay')
    const { kind, parameters } = speeding
    const draft = { kind, parameters, severity: 'warning', vehicleIds: null, hours: null } as const
    await createRule(transaction, { accountId, name: kind, draft, fromMs: 0, savedBy: 'bench' }, 1)
    const terms = { accountId, name: 'bench', permissions: ALL_PERMISSIONS, expires: undefined }
    return { key: (await createKey(transaction, terms)).secret }
  })
  const isNoticed = async () => (await database.rows(sql`select from rule_changes`)).length === 0
  while (!(await isNoticed())) await sleep(100)
  return made
}

function replayed(run: number): readonly string[] {
  const startMs = Date.UTC(2025, 5, 2)
  return Array.from({ length: REPLAYED.groups }, (_, group) => {
    const samples = batchOf(5_000_000 + run * 1000 + group * 100, { ...REPLAYED, startMs, batch: 0 })
    const byTime = samples.toSorted((a, b) => a.timeMs - b.timeMs)
    return ingestBodies(byTime, EVENTS_PER_BODY).bodies
  }).flat()
}

interface Tried {
  readonly samples: number
  readonly count: number
  /** How often it told how far it was. */
  readonly progress: number
}

async function preview(client: { readonly url: string; readonly key: string }, body: object): Promise<Tried> {
  const reply = await fetch(`${client.url}/rules/preview`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  const [, result] = /event: result\ndata: (.*)\n/.exec(text) ?? []
  if (!reply.ok || result === undefined) throw new Error(`${reply.status} ${text.slice(-500)}`)
  const progress = text.split('event: progress').length - 1
  return { ...(JSON.parse(result) as Omit<Tried, 'progress'>), progress }
}
