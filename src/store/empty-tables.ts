import { LOCK_KIND, LOCKS } from '../db/locks.ts'
import { rowsOf, sql } from '../db/sql.ts'
import { type Client, changeTables, lockSamples, sampleTables } from './sample-tables.ts'

/**
 * Drops the tables of samples before an instant that are empty. No sample can come to one in the meantime: it is looked at again when
 * nobody else can write.
 * @returns the tables that were dropped
 */
export async function dropEmptyTables(client: Client, beforeMs: number): Promise<string[]> {
  const [lock] = await rowsOf<{ mine: boolean }>(
    client,
    sql`select pg_try_advisory_lock(${LOCK_KIND}, ${LOCKS.retention}) as mine`,
  )
  if (!lock?.mine) return []
  const dropped: string[] = []
  for (const { name, state, toMs } of await sampleTables(client))
    if (state === 'attached' && toMs <= beforeMs && (await isEmpty(client, name)) && (await dropIfEmpty(client, name)))
      dropped.push(name)
  await rowsOf(client, sql`select pg_advisory_unlock(${LOCK_KIND}, ${LOCKS.retention})`)
  return dropped
}

async function isEmpty(client: Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query(`select 1 from ${name} limit 1`)
  return rowCount === 0
}

async function dropIfEmpty(client: Client, name: string): Promise<boolean> {
  const isDropped = await changeTables(client, async () => {
    await lockSamples(client)
    const mayGo = await isEmpty(client, name)
    if (mayGo) await client.query(`drop table ${name}`)
    return mayGo
  })
  return isDropped === true
}
