import { Client } from 'pg'
import { onTestFinished } from 'vitest'
import { codeOf } from '../src/model/errors.ts'

const DEADLOCK = '40P01'

/** Keeps every commit of the service waiting. @returns a function that lets them go on. */
export async function holdTables(databaseUrl: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  let ended: Promise<void> | undefined
  const release = () => (ended ??= client.end())
  onTestFinished(release)
  const { rows } = await client.query<{ names: string }>(`
    select string_agg(quote_ident(relname), ', ') as names from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`)
  while (!(await isLocked(client, rows[0]?.names))) await client.query('rollback')
  return release
}

/** @returns false when the service was in the middle of a transaction that wanted them in another order */
async function isLocked(client: Client, names: string | undefined): Promise<boolean> {
  await client.query('begin')
  try {
    await client.query(`lock table ${names} in exclusive mode`)
    return true
  } catch (error) {
    if (codeOf(error) !== DEADLOCK) throw error
    return false
  }
}
