import { Client } from 'pg'

interface RestoredState {
  /** The instant that was restored, in milliseconds since 1970. */
  readonly restoredMs: number
  /** The newest instant that the database was known to be at. */
  readonly untilMs: number
}

/** Ids that are left out for each second that is lost, and at least; more than any fleet makes. */
const SKIPPED = {
  bigint: { perSecond: 1000, atLeast: 100_000 },
  integer: { perSecond: 1, atLeast: 1000 },
  smallint: { perSecond: 0, atLeast: 0 },
} as const

/**
 * What was changed after the instant that is restored is lost, but clients have seen it. So (ADR 0031):
 * - every object that clients sync gets a new revision, newer than any that was given out: clients that sync, whatever they
 *   saw, are sent everything again, and what they hold that is older no longer exists;
 * - ids that may have been given out since are not given out again.
 * @returns the first of the new revisions
 */
export async function markRestored(url: string, { restoredMs, untilMs }: RestoredState): Promise<string> {
  const client = new Client({ connectionString: url, application_name: 'tacho restore' })
  await client.connect()
  try {
    await client.query('begin')
    await skipIds(client, Math.max(0, Date.now() - restoredMs) / 1000)
    const restored = await giveNewRevisions(client, untilMs)
    await client.query('insert into restores (restored, restored_to) values ($1, $2)', [
      restored,
      new Date(restoredMs).toISOString(),
    ])
    await client.query('commit')
    await client.query('analyze')
    return restored
  } finally {
    await client.end()
  }
}

async function skipIds(client: Client, lostS: number): Promise<void> {
  const { rows } = await client.query<{ name: string; type: keyof typeof SKIPPED }>(
    `select quote_ident(sequencename) as name, data_type::text as type from pg_sequences
     where schemaname = 'public' and sequencename <> 'revisions'`,
  )
  for (const { name, type } of rows) {
    const { perSecond, atLeast } = SKIPPED[type]
    const skipped = atLeast + Math.ceil(lostS * perSecond)
    await client.query(`select setval('${name}', last_value + $1) from ${name}`, [skipped])
  }
}

async function giveNewRevisions(client: Client, untilMs: number): Promise<string> {
  // The clock of this machine may be behind that of the lost one.
  await client.query(`select setval('revisions', greatest(last_value, $1::bigint)) from revisions`, [
    String(untilMs * 1000),
  ])
  const { rows: columns } = await client.query<{ table: string; column: string }>(
    `select quote_ident(c.relname) as table, a.attname as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not c.relispartition
       and a.attname in ('modified', 'trip_modified') order by 1, 2`,
  )
  let restored = await takeRevisions(client, 1)
  const first = restored
  for (const { table, column } of columns) {
    const { rows: counts } = await client.query<{ count: string }>(`select count(${column}) as count from ${table}`)
    restored = await takeRevisions(client, Number(counts[0]?.count ?? 0))
    await client.query(
      `with numbered as (
         select ctid as place, row_number() over (order by ${column}) - 1 as number from ${table}
         where ${column} is not null
       )
       update ${table} set ${column} = $1::timestamptz + numbered.number * interval '1 microsecond'
       from numbered where ${table}.ctid = numbered.place`,
      [restored],
    )
  }
  return first
}

/** The first of so many, as text: a `Date` has no microseconds. */
async function takeRevisions(client: Client, count: number): Promise<string> {
  const { rows } = await client.query<{ first: string }>('select take_revisions($1)::text as first', [count])
  return rows[0]?.first ?? ''
}
