import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureAccount } from '../../src/access/accounts.ts'
import { RULE_KINDS, type RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import type { Database } from '../../src/db/database.ts'
import { openDatabase } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import type { WeeklyHours } from '../../src/derive/rules/weekly-hours.ts'
import { createAreas } from '../../src/fleet/areas/change-areas.ts'
import { createRule } from '../../src/fleet/rules/change-rules.ts'
import { type AreaShape, DEFAULT_AREA_COLOR } from '../../src/model/areas/shape.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { Partitions } from '../../src/store/index.ts'
import { type Store, storeAndDerive } from './derivation.ts'
import { batchOf } from './half-hour-drives.ts'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { simulatedDrives } from './simulated-drives.ts'

const DAY_MS = 86_400_000
const RULES = 20
const AREAS = 1000
const DEVICES = 100
const SAMPLES_EACH = 50
const BATCHES = 400
/** More than the cars drive: by default they would speed in each area, and a fleet that does so all day is none to judge by. */
const PARAMETERS: { readonly [Kind in RuleKindName]?: Readonly<Record<string, number>> } = {
  SPEEDING_IN_AREA: { limitKmh: 70 },
}
/** Who asks for cars outside of all areas asks at given hours. */
const AT_NIGHT: WeeklyHours = {
  timeZone: 'UTC',
  days: Array.from({ length: 7 }, () => [
    { fromMinute: 0, toMinute: 6 * 60 },
    { fromMinute: 22 * 60, toMinute: 24 * 60 },
  ]),
}
/**
 * The first ones register the devices, and code is compiled: V8 takes half a second for that with ten batches at first, and hardly anything
 * after these. All memory is collected once in a dozen batches, so few of them would vary by a tenth.
 */
const WARM_UP = 200
/** Enough samples for all batches. */
const TOWN_DRIVES = 160

interface Drives {
  readonly of: string
  /** When it matters whether a car is outside of all areas; null: always. */
  readonly outsideAt: WeeklyHours | null
  readonly firstDevice: number
  readonly batchOf: (firstDevice: number, batch: number) => Sample[]
  /** As the cars pass them. */
  readonly shapeOf: (area: number) => AreaShape
}

function halfHours(startMs: number): Drives {
  return {
    of: '',
    outsideAt: null,
    firstDevice: 3_000_000,
    batchOf: (firstDevice, batch) =>
      batchOf(firstDevice, { devices: DEVICES, samplesEach: SAMPLES_EACH, startMs, batch }),
    shapeOf: besideTheWay,
  }
}

/** Of a car that turns, stops and parks as cars do in a town. */
function throughTheTown(startMs: number, which: Omit<Drives, 'batchOf' | 'shapeOf'>): Drives {
  const samples = simulatedDrives(startMs, TOWN_DRIVES)
  return {
    ...which,
    batchOf: (firstDevice, batch) =>
      Array.from({ length: DEVICES }, (_, device) =>
        samples.slice(batch * SAMPLES_EACH, (batch + 1) * SAMPLES_EACH).map(({ timeMs, types, numbers, texts }) => ({
          deviceId: (firstDevice + device) as DeviceId,
          timeMs,
          types,
          numbers,
          texts,
        })),
      ).flat(),
    shapeOf: allOverTheTown,
  }
}

const TOWN = { of: ', simulated drives', outsideAt: AT_NIGHT, firstDevice: 3_200_000 }
/** Each drive of five minutes past no customer is told, too: four of five incidents, by a rule that no fleet would keep. */
const TOLD_OFTEN = { of: ', simulated drives that are all told', outsideAt: null, firstDevice: 3_400_000 }

/**
 * Storing and deriving for an account with rules and areas, against one with none: batches of each alternate, in one process, each with
 * dongles of its own and the same samples.
 */
export async function benchRuledDerivation(service: RunningService): Promise<BenchResult[]> {
  // Ahead of the clock: of dongles that report now, nobody asks what their silence means. A midnight, so that hours are the same in each run.
  const startMs = Math.ceil(Date.now() / DAY_MS) * DAY_MS
  return [
    await ruledDerivation(service, halfHours(startMs), startMs),
    await ruledDerivation(service, throughTheTown(startMs, TOWN), startMs),
    await ruledDerivation(service, throughTheTown(startMs, TOLD_OFTEN), startMs),
  ]
}

async function ruledDerivation({ databaseUrl }: RunningService, drives: Drives, startMs: number): Promise<BenchResult> {
  // One connection that writes: it stays, so that none of its time is lost with it, and nobody else's is counted.
  const database = openDatabase({ url: databaseUrl, writerCount: 1 })
  try {
    const writerPid = await writerPidOf(database)
    const without = await storeOf(database, `Without rules${drives.of}`)
    const withRules = await storeOf(database, `With rules${drives.of}`)
    await addRules(withRules, drives, startMs)
    const fleets = [
      { store: without, firstDevice: drives.firstDevice, ms: [] as number[], cpuUs: [] as number[] },
      { store: withRules, firstDevice: drives.firstDevice + DEVICES, ms: [] as number[], cpuUs: [] as number[] },
    ]
    for (let batch = 0; batch < BATCHES; batch++) {
      for (const { store, firstDevice, ms, cpuUs } of batch % 2 === 0 ? fleets : fleets.toReversed()) {
        const samples = drives.batchOf(firstDevice, batch)
        await new Partitions(database).ensure(samples.map(sample => sample.timeMs))
        const [begunMs, begunUs] = [performance.now(), cpuUsOf(writerPid)]
        await storeAndDerive(store, samples)
        if (batch < WARM_UP) continue
        ms.push(performance.now() - begunMs)
        cpuUs.push(cpuUsOf(writerPid) - begunUs)
      }
    }
    const each = (us: number) => us / (DEVICES * SAMPLES_EACH)
    const [withoutUs, withUs] = fleets.map(({ cpuUs }) => each(mean(cpuUs))) as [number, number]
    const [withoutClockUs, withClockUs] = fleets.map(({ ms }) => each(median(ms) * 1000)) as [number, number]
    const found = await incidentsOf(withRules)
    return {
      name: `derivation with ${RULES} rules and ${AREAS} areas${drives.of}`,
      measured:
        `${withUs.toFixed(1)} µs of CPU a sample, ${withClockUs.toFixed(1)} µs by the clock, ` +
        `${found} incidents in ${DEVICES * SAMPLES_EACH * BATCHES} samples`,
      against: `without rules ${withoutUs.toFixed(1)} µs of CPU, ${withoutClockUs.toFixed(1)} µs by the clock`,
      ratio: withUs / withoutUs,
      target: { atMost: 1.6 },
    }
  } finally {
    await database.close()
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The process of PostgreSQL in which this one writes: what a batch reads and writes is done there. */
async function writerPidOf(database: Database): Promise<number> {
  const [row] = await writeTransaction(database, transaction =>
    transaction.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`),
  )
  if (!row) throw new Error('the connection that writes did not tell its process')
  return row.pid
}

/** The CPU of this process, garbage collector included, and of that one. To look at all processes with each batch would take minutes. */
function cpuUsOf(writerPid: number): number {
  const { user, system } = process.cpuUsage()
  const [writerNs] = readFileSync(`/proc/${writerPid}/schedstat`, 'utf8').split(' ', 1)
  return user + system + Number(writerNs) / 1000
}

async function storeOf(database: Database, name: string): Promise<Store> {
  const { id: accountId } = await writeTransaction(database, transaction => ensureAccount(transaction, name))
  return { database, accountId }
}

/** A rule of each of the first kinds, and areas all along the way, before there are dongles: nothing is folded again for them. */
async function addRules({ database, accountId }: Store, { shapeOf, outsideAt }: Drives, fromMs: number): Promise<void> {
  await writeTransaction(database, async transaction => {
    const areas = Array.from({ length: AREAS }, (_, area) => ({
      name: `Area ${area}`,
      kind: 'OTHER' as const,
      color: DEFAULT_AREA_COLOR,
      shape: shapeOf(area),
      validFrom: undefined,
    }))
    await createAreas(transaction, { accountId }, areas, AREAS)
    for (const { name, severity } of RULE_KINDS.slice(0, RULES)) {
      const hours = name === 'OUTSIDE_AREAS' ? outsideAt : null
      const draft = { kind: name, parameters: PARAMETERS[name] ?? {}, severity, vehicleIds: null, hours }
      await createRule(transaction, { accountId, name, draft, fromMs, savedBy: 'bench' }, RULES)
    }
  })
  const isNoticed = async () => (await database.rows(sql`select from rule_changes`)).length === 0
  while (!(await isNoticed())) await sleep(100)
}

/** The cars of `half-hour-drives.ts` cross each third of them. */
function besideTheWay(area: number): AreaShape {
  return squareAt(11.585 + (area % 3) * 0.012, 48.1 + area * 0.0024)
}

/** Where the cars of `simulated-drives.ts` are. */
function allOverTheTown(area: number): AreaShape {
  return squareAt(8.2 + (area % 40) * 0.01, 48.9 + Math.floor(area / 40) * 0.01)
}

/** 250 m long. */
function squareAt(west: number, south: number): AreaShape {
  const side = 250 / 111_195
  const ring = [
    [west, south],
    [west + side, south],
    [west + side, south + side],
    [west, south + side],
    [west, south],
  ] as const
  return { type: 'polygon', polygons: [[ring]] }
}

async function incidentsOf({ database, accountId }: Store): Promise<number> {
  const [row] = await database.rows<{ count: number }>(
    sql`select count(*) as count from incidents where account_id = ${accountId}`,
  )
  return row?.count ?? 0
}
