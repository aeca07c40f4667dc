import { Client } from 'pg'
import { onTestFinished } from 'vitest'

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
  await client.query('begin')
  await client.query(`lock table ${rows[0]?.names} in exclusive mode`)
  return release
}
