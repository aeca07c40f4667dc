import { readClockDifferenceS } from '../../db/clock.ts'
import type { Connection } from '../../db/database.ts'
import { compareMigrations } from '../../db/migrations.ts'
import { sql } from '../../db/sql.ts'
import { SYSTEM_CLOCK } from '../../lib/clock.ts'
import { growthBytesPerDay, readTableSizes } from './growth.ts'
import { DATABASE_SETTINGS, type DatabaseFacts } from './judge-database.ts'

interface LookedAt {
  readonly facts: DatabaseFacts
  /** The clock of the database minus ours. */
  readonly aheadMs: number
  /** The newest revision minus the clock of the database; undefined before the first migration. */
  readonly revisionAheadMs: number | undefined
  readonly growthBytesPerDay: number | undefined
}

/** Reads what is judged of a database, and changes nothing. */
export async function lookAtDatabase(connection: Connection): Promise<LookedAt> {
  const differenceS = await readClockDifferenceS(connection, SYSTEM_CLOCK)
  const [server] = await connection.rows<
    Omit<DatabaseFacts, 'settings' | 'tachoRoles'> & { has_revisions: boolean }
  >(sql`
    select current_setting('server_version_num')::integer as "versionNumber", current_setting('server_version') as version,
      pg_is_in_recovery() as "isStandby", current_user::text as "ownRole",
      (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as connections,
      (select count(*)::integer from pg_timezone_names where name = 'Europe/Berlin') as "timeZones",
      case when exists (select from pg_extension where extname = 'btree_gist') then 'installed'
        when exists (select from pg_available_extensions where name = 'btree_gist') then 'available'
        else 'missing' end as extension,
      to_regclass('revisions') is not null as has_revisions`)
  if (!server) throw new Error('the database said nothing about itself')
  const settings = await connection.rows<{ name: string; setting: string }>(
    sql`select name, setting from pg_settings where name = any(${DATABASE_SETTINGS}::text[])`,
  )
  // Its own connection is none of a node that runs.
  const roles = await connection.rows<{ role: string }>(sql`
    select distinct usename::text as role from pg_stat_activity
    where application_name in ('tacho writer', 'tacho notifier') and datname = current_database()
      and usename is not null and pid <> pg_backend_pid()`)
  const { pending, unknown } = await compareMigrations(connection)
  const { has_revisions: hasRevisions, ...rest } = server
  const [newest] = hasRevisions
    ? await connection.rows<{ ahead_ms: number }>(sql`
        select last_value::float8 / 1000 - extract(epoch from clock_timestamp())::float8 * 1000 as ahead_ms from revisions`)
    : []
  return {
    facts: {
      ...rest,
      settings: Object.fromEntries(settings.map(({ name, setting }) => [name, setting])) as DatabaseFacts['settings'],
      tachoRoles: roles.map(({ role }) => role),
      pendingMigrations: pending,
      unknownMigrations: unknown,
    },
    aheadMs: -1000 * differenceS,
    revisionAheadMs: newest?.ahead_ms,
    growthBytesPerDay: growthBytesPerDay(await readTableSizes(connection), Date.now()),
  }
}
