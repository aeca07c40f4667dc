import { ensureAccount } from '../src/access/accounts.ts'
import { createKey } from '../src/access/keys.ts'
import { ALL_PERMISSIONS } from '../src/catalogue/permissions.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { createAreas } from '../src/fleet/areas/change-areas.ts'
import { DEFAULT_AREA_COLOR } from '../src/model/areas/drawn-area.ts'
import { batchOf } from './half-hour-drives.ts'
import { sendBodies } from './http-sender.ts'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { ingestBodies } from './sample-events.ts'
import { customerAt, fillVisitedFleet } from './visited-fleet.ts'

const DAY_MS = 86_400_000
const DAYS = 90
/** Every car costs the same, so a part of the fleet says what all of it takes. */
const VEHICLES = 20
const OF_VEHICLES = 100
const RUNS = 3
const REPLAYED = { devices: 20, samplesEach: 500 }
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

/** Rules tried on 90 days of stored samples, against sending as many samples through the ingest: both as time a sample. */
export async function benchPreview(service: RunningService): Promise<BenchResult[]> {
  const { accountId, key } = await account(service)
  const startMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS
  const stored = await fillVisitedFleet(service.database, {
    accountId,
    vehicles: VEHICLES,
    days: DAYS,
    startMs,
    firstDeviceId: 7_100_000_001,
  })
  const period = {
    fromTimestamp: new Date(startMs).toISOString(),
    toTimestamp: new Date(startMs + DAYS * DAY_MS).toISOString(),
  }
  const replaysMs: number[] = []
  const tries = TRIED.map(({ named, kind, parameters }) => ({
    named,
    body: { kind, parameters, ...period },
    previewsMs: [] as number[],
    tried: { samples: 0, count: 0, progress: 0 } as Tried,
  }))
  for (let run = 0; run < RUNS; run++) {
    for (const each of tries)
      each.previewsMs.push(
        await elapsedMs(async () => {
          each.tried = await preview({ url: `${service.url}/cc/v2.0`, key }, each.body)
        }),
      )
    const bodies = replayed(run)
    replaysMs.push(await elapsedMs(() => sendBodies({ url: service.intakeUrl, key }, bodies, CONNECTIONS)))
  }
  const replayMs = median(replaysMs) / (REPLAYED.devices * REPLAYED.samplesEach)
  return tries.map(({ named, previewsMs, tried }) => {
    if (tried.samples !== stored) throw new Error(`the preview judged ${tried.samples} of ${stored} samples`)
    const previewMs = median(previewsMs) / stored
    const wholeS = ((previewMs * stored * OF_VEHICLES) / VEHICLES / 1000).toFixed(1)
    return {
      name: `POST /rules/preview of ${named}, ${VEHICLES} cars, ${DAYS} days, ${(stored / 1e6).toFixed(1)} million samples`,
      measured:
        `${(previewMs * 1000).toFixed(2)} µs a sample, ${wholeS} s for ${OF_VEHICLES} cars, ${tried.count} incidents, ` +
        `${tried.progress} times progress`,
      against: `sent through POST /ingest/events ${(replayMs * 1000).toFixed(1)} µs a sample`,
      ratio: replayMs / previewMs,
      target: { atLeast: 50 },
    }
  })
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

function replayed(run: number): readonly string[] {
  const startMs = Date.UTC(2025, 5, 2)
  const samples = batchOf(5_000_000 + run * 1000, { ...REPLAYED, startMs, batch: 0 })
  const byTime = samples.toSorted((a, b) => a.timeMs - b.timeMs)
  return ingestBodies(byTime, EVENTS_PER_BODY).bodies
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

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}
