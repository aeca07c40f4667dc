import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { readLowWatermark } from '../db/low-watermark.ts'
import { type Connection, rowsOf } from '../db/sql.ts'
import { DAY_MS, overlap } from '../model/time-range.ts'
import {
  type Client,
  changeTables,
  lockRetention,
  lockSamples,
  partitionStartMs,
  sampleTables,
  type TableSpan,
  yearSpanAt,
} from './tables.ts'

/** How often the swap is retried when readers and writers would wait too long for it. */
const ATTEMPTS = 20
const PAUSE_MS = 500

/** Merges the weeks of each year before `beforeMs` into one table, so that the number of tables stays bounded. Rows
 * written while copying are found by their revision and copied when the tables are swapped. */
export async function mergeYears(database: Database, beforeMs: number): Promise<string[]> {
  // A reader's connection: a long transaction of a writer would hold back the low watermark.
  const client = await database.readers.connect()
  try {
    if (!(await lockRetention(client))) return []
    await client.query('set statement_timeout = 0')
    const merged: string[] = []
    for (const year of await yearsOfWeeks(client, beforeMs)) if (await mergeYear(client, year)) merged.push(year.name)
    return merged
  } finally {
    // Closing it also releases the lock and the settings.
    client.release(true)
  }
}

async function yearsOfWeeks(client: Client, beforeMs: number): Promise<readonly TableSpan[]> {
  const years = new Map<string, TableSpan>()
  for (const { name, fromMs, state } of await sampleTables(client)) {
    const year = yearSpanAt(fromMs)
    if (state === 'attached' && partitionStartMs(name) !== undefined && year.toMs <= beforeMs)
      years.set(year.name, year)
  }
  return [...years.values()]
}

/** @returns false when it was not possible now */
async function mergeYear(client: Client, year: TableSpan): Promise<boolean> {
  const weeks = await tablesWithin(client, year)
  if (weeks === undefined) return false
  const made = `merging_${year.name}`
  await client.query(`drop table if exists ${made}`)
  await client.query(`create table ${made} (like samples including all)`)
  // So that attaching needs no scan.
  await client.query(`alter table ${made} add constraint of_the_year check (
    time >= '${instant(year.fromMs)}' and time < '${instant(year.toMs)}')`)
  const connection: Connection = { rows: statement => rowsOf(client, statement) }
  const copiedTo = await readLowWatermark(connection)
  for (const week of weeks) await copyWeek(client, made, week, copiedTo)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const exchange = await exchanged(client, { year, weeks, made, copiedTo })
    if (exchange !== 'locked') return exchange === 'done'
    await sleep(PAUSE_MS)
  }
  return false
}

/** The tables of weeks of a year; undefined while one of them is being dropped. */
async function tablesWithin(client: Client, year: TableSpan): Promise<readonly TableSpan[] | undefined> {
  const within = (await sampleTables(client)).filter(table => table.state !== 'detached' && overlap(table, year))
  return within.some(({ state }) => state === 'pending') ? undefined : within
}

/** A day at a time: a long transaction would keep PostgreSQL from vacuuming. */
async function copyWeek(client: Client, made: string, { name, fromMs, toMs }: TableSpan, copiedTo: string) {
  for (let dayMs = fromMs; dayMs < toMs; dayMs += DAY_MS)
    await client.query(
      `insert into ${made} select * from ${name}
       where time >= '${instant(dayMs)}' and time < '${instant(dayMs + DAY_MS)}' and stored <= $1::timestamptz`,
      [copiedTo],
    )
}

interface Exchange {
  readonly year: TableSpan
  readonly weeks: readonly TableSpan[]
  readonly made: string
  readonly copiedTo: string
}

async function exchanged(
  client: Client,
  { year, weeks, made, copiedTo }: Exchange,
): Promise<'done' | 'locked' | 'changed'> {
  const outcome = await changeTables(client, async () => {
    await lockSamples(client)
    const now = await tablesWithin(client, year)
    if (now?.map(({ name }) => name).join() !== weeks.map(({ name }) => name).join()) return 'changed'
    for (const { name } of weeks) {
      await client.query(
        `insert into ${made} select * from ${name} where stored > $1::timestamptz
         on conflict (device_id, time) do update set
           stored = excluded.stored, layout_id = excluded.layout_id, numbers = excluded.numbers, texts = excluded.texts`,
        [copiedTo],
      )
      await client.query(`alter table samples detach partition ${name}`)
      await client.query(`drop table ${name}`)
    }
    await client.query(`drop table if exists ${year.name}`)
    await client.query(`alter table ${made} rename to ${year.name}`)
    await client.query(`alter table samples attach partition ${year.name}
      for values from ('${instant(year.fromMs)}') to ('${instant(year.toMs)}')`)
    await client.query(`alter table ${year.name} drop constraint of_the_year`)
    return 'done'
  })
  return outcome ?? 'locked'
}

function instant(ms: number): string {
  return new Date(ms).toISOString()
}
