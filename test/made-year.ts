import { createHash } from 'node:crypto'
import { plain, recordedDay } from '../lab/bench/made-samples.ts'
import type { Database } from '../src/db/database.ts'
import { lockDevices } from '../src/db/shards.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import type { DeviceId, Sample } from '../src/model/sample.ts'
import { insertSamples, numbersOf, Partitions, readSamples, textsOf, withRawConnection } from '../src/store/index.ts'
import type { UpgradeWorld } from './upgrade-world.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Two half hours of a record every two minutes, else one an hour: 39 records of 20 values a day. */
const DRIVES = [7, 16].map(hour => ({ fromMs: hour * HOUR_MS, toMs: (hour + 0.5) * HOUR_MS }))
/** Cars drive differently; so many ways are enough. */
const WAYS = 8
const DAYS_A_REVISION = 7

/** Cars that drove every day from a Monday on, made without an intake. */
export interface MadeYear {
  readonly startMs: number
  readonly endMs: number
  readonly deviceIds: readonly DeviceId[]
  readonly samples: number
}

/** Stores the first and the last sample of each car as if they had come, and copies the others: making them is not what is tried. */
export async function makeYear(world: UpgradeWorld, cars: number, days: number, startMs: number): Promise<MadeYear> {
  const endMs = startMs + days * DAY_MS
  const first = world.newDevices(cars)
  const deviceIds = Array.from({ length: cars }, (_, car) => (356_307_042_000_000 + first + car) as DeviceId)
  await new Partitions(world.database).ensure(Array.from({ length: days }, (_, day) => startMs + day * DAY_MS))
  let samples = 0
  for (let way = 0; way < Math.min(WAYS, cars); way++) {
    const drives = Array.from({ length: days }, (_, day) => wayOf(way, startMs + day * DAY_MS)).flat()
    for (let car = way; car < cars; car += WAYS) {
      const deviceId = deviceIds[car] as DeviceId
      const own = drives.map((sample): Sample => ({ ...sample, deviceId }))
      samples += own.length
      await storeCar(world, own)
    }
  }
  return { startMs, endMs, deviceIds, samples }
}

function wayOf(way: number, dayMs: number): Sample[] {
  const made = { deviceId: 1 as DeviceId, dayMs, drivingMs: 120_000, parkedMs: HOUR_MS, drives: DRIVES, packet: 1 }
  return recordedDay({ ...made, seed: way + dayMs / DAY_MS }).map(plain)
}

async function storeCar(world: UpgradeWorld, samples: readonly Sample[]): Promise<void> {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last) throw new Error('a car without samples')
  await world.store([first, last])
  for (const week of inWeeks(samples.slice(1, -1)))
    await writeTransaction(world.database, async transaction => {
      const locked = await lockDevices(transaction, [first.deviceId])
      await insertSamples(locked, week, await transaction.takeRevisions(1))
    })
}

/** Each week is stored with a revision. */
function inWeeks(samples: readonly Sample[]): Sample[][] {
  const weeks: Sample[][] = []
  let week = Number.NaN
  for (const sample of samples) {
    const own = Math.floor(sample.timeMs / (DAYS_A_REVISION * DAY_MS))
    if (own !== week) weeks.push([])
    week = own
    weeks.at(-1)?.push(sample)
  }
  return weeks
}

/** What all samples of cars from an instant on are, in their order: every time, type, text and bit of a number. */
export async function checksumOf(
  { database, accountId }: Pick<UpgradeWorld, 'database' | 'accountId'>,
  { deviceIds, endMs }: MadeYear,
  fromMs: number,
): Promise<string> {
  const hash = createHash('sha256')
  await withRawConnection(database.readsOf(accountId), async connection => {
    for (const deviceId of deviceIds) {
      const chunks = readSamples(connection, [{ deviceId, fromMs, toMs: endMs }], { direction: 'ascending' })
      for await (const samples of chunks)
        for (const sample of samples) {
          const texts = textsOf(sample)
          hash.update(`${sample.deviceId} ${sample.timeMs} ${sample.layout.text} ${JSON.stringify(texts)}`)
          hash.update(new Uint8Array(Float64Array.from(numbersOf(sample)).buffer))
        }
    }
  })
  return hash.digest('hex')
}

/** How many samples there are as rows and sealed, each counted where it is, and what both take on the disk. */
export async function countSamples(database: Database): Promise<{
  readonly rows: number
  readonly sealed: number
  readonly days: number
  readonly bytes: number
}> {
  const [row] = await database.rows<{ rows: number; sealed: number; days: number; bytes: number }>(sql`
    select (select count(*) from samples)::bigint as rows, coalesce(sum(samples_count), 0)::bigint as sealed, count(*)::integer as days,
      (pg_total_relation_size('sealed_days') + (
        select coalesce(sum(pg_total_relation_size(inhrelid)), 0) from pg_inherits where inhparent = 'samples'::regclass))::bigint as bytes
    from sealed_days`)
  if (!row) throw new Error('nothing was counted')
  return row
}
