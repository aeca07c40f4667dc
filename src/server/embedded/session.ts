import { Client } from 'pg'
import { isProcessAlive } from '../../lib/process.ts'
import { ADMIN_ROLE, SERVICE_DATABASE, SERVICE_ROLE } from './settings.ts'

/** PostgreSQL's code when it denies us access (invalid_authorization_specification). */
export const NOT_LET_IN = '28000'

/** The supervisor's own connection. While it holds the lock, the folder is ours. */
export interface Session {
  readonly client: Client
  /** Resolves when the connection is gone, for whatever reason. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** Connects as the owner of the server, through the socket in `socketFolder`. */
export async function openSession(socketFolder: string): Promise<Session> {
  const client = new Client({
    host: socketFolder,
    port: 5432,
    user: ADMIN_ROLE,
    database: 'postgres',
    password: '',
    ssl: false,
    // Whoever is not given the lock reads here whose it is.
    application_name: `${APPLICATION} ${process.pid}`,
    connectionTimeoutMillis: 5000,
  })
  // The end of the connection is handled; the error before it adds nothing.
  client.on('error', () => undefined)
  const ended = new Promise<void>(resolve => {
    client.once('end', resolve)
  })
  await client.connect()
  return { client, ended, close: () => client.end().catch(() => undefined) }
}

/**
 * Tries to get the lock that only one living Tacho can hold in a folder.
 * @returns `left` where PostgreSQL has yet to notice that who held it is gone, `lost` when the server went away meanwhile
 */
export async function takeLock({ client }: Session): Promise<'taken' | 'held' | 'left' | 'lost'> {
  try {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(7411, 100) as taken')
    if (rows[0]?.taken) return 'taken'
    const { rows: holders } = await client.query<{ name: string }>(`
      select application_name as name from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and (classid, objid, objsubid) = (7411, 100, 2) and granted`)
    return holders.some(({ name }) => mayBeAlive(name)) ? 'held' : 'left'
  } catch {
    return 'lost'
  }
}

const APPLICATION = 'tacho supervisor'

/** @param name of its application */
function mayBeAlive(name: string): boolean {
  const pid = Number(name.slice(APPLICATION.length))
  return !name.startsWith(APPLICATION) || !(pid > 0) || isProcessAlive(pid)
}

/** Creates role and database of the service if they are missing: a first start may have been interrupted at any point. */
export async function ensureDatabase({ client }: Session): Promise<void> {
  const has = async (sql: string, name: string) => (await client.query(sql, [name])).rows.length > 0
  if (!(await has('select from pg_roles where rolname = $1', SERVICE_ROLE)))
    await client.query(`create role ${SERVICE_ROLE} login in role pg_checkpoint, pg_monitor`)
  if (!(await has('select from pg_database where datname = $1', SERVICE_DATABASE)))
    await client.query(`create database ${SERVICE_DATABASE} owner ${SERVICE_ROLE}`)
}

/** The address of a database of this server, for `pg`. */
export function databaseUrl(socketFolder: string, database = SERVICE_DATABASE, role = SERVICE_ROLE): string {
  return `postgresql://${role}@localhost:5432/${database}?host=${encodeURIComponent(socketFolder)}&sslmode=disable`
}
