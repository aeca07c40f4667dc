import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { type EventEmitter, once } from 'node:events'
import { access, constants, readdir, readFile, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Config } from '../config.ts'
import { readClockDifferenceS } from '../db/clock.ts'
import { compareMigrations } from '../db/migrations.ts'
import { type Connection, sql } from '../db/sql.ts'
import { SYSTEM_CLOCK } from '../lib/clock.ts'
import { codeOrTextOf } from '../model/errors.ts'
import { DAY_MS } from '../model/time-range.ts'
import { findPackage } from '../server/embedded/binaries.ts'
import { MARK } from '../server/embedded/folder.ts'
import {
  canReach,
  chooseLocation,
  type DatabaseLocation,
  freeBytesOf,
  nearestFolder,
} from '../server/embedded/location.ts'
import { SILENT } from '../server/embedded/process.ts'
import { ownApiAddress } from '../server/process.ts'
import { SETTINGS } from '../settings.ts'
import { spanOfTable } from '../store/index.ts'
import { DATABASE_SETTINGS, type DatabaseFacts, type FolderFacts, type PortFacts } from './doctor-judgements.ts'

/** How many files a process may have open; undefined where the system does not say, or has no limit. */
export async function readOpenFiles(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  // Node raises the soft limit to the hard one when it starts.
  const hard = /^Max open files +\S+ +(\d+)/m.exec(limits)?.[1]
  return hard === undefined ? undefined : Number(hard)
}

export function knowsTimeZones(): boolean {
  const july = new Date(Date.UTC(2026, 6, 1, 12))
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit' }).format(july) === '14'
  } catch {
    return false
  }
}

/** The system keeps its clock by a time server; undefined where it does not say. */
export async function readSynchronized(): Promise<boolean | undefined> {
  try {
    const options = { timeout: 5000 }
    const args = ['show', '--property=NTPSynchronized', '--value']
    const { stdout } = await promisify(execFile)('timedatectl', args, options)
    return stdout.trim() === '' ? undefined : stdout.trim() === 'yes'
  } catch {
    return undefined
  }
}

/** Tries every port that the settings name, for a moment; one that the system chooses is always free. */
export async function lookAtPorts(config: Config): Promise<PortFacts[]> {
  const doors = [
    { door: 'API and console', host: 'host', port: 'port', udp: false },
    { door: 'intake', host: 'intakeHost', port: 'intakePort', udp: false },
    { door: 'dongles of Teltonika', host: 'teltonikaHost', port: 'teltonikaPort', udp: !config.teltonikaTlsCertFile },
  ] as const
  const facts: PortFacts[] = []
  for (const { door, host, port, udp } of doors) {
    const number = config[port]
    if (!number) continue
    const overTcp = await tryTcp(config[host], number)
    facts.push({
      door,
      host: config[host],
      port: number,
      hostSetting: SETTINGS[host].name,
      portSetting: SETTINGS[port].name,
      outcome: overTcp === 'free' && udp ? await tryUdp(config[host], number) : overTcp,
    })
  }
  return facts
}

async function tryTcp(host: string, port: number): Promise<string> {
  const server = createServer()
  return tryListening(server, () => server.listen(port, host))
}

async function tryUdp(host: string, port: number): Promise<string> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  return tryListening(socket, () => socket.bind(port, host))
}

async function tryListening(socket: EventEmitter & { close(): unknown }, listen: () => void): Promise<string> {
  try {
    listen()
    await once(socket, 'listening')
    return 'free'
  } catch (error) {
    return codeOrTextOf(error)
  } finally {
    socket.close()
  }
}

const PATIENCE_MS = 3000

/** A Tacho answers where the settings put the API. */
export function answersAsTacho(config: Config): Promise<boolean> {
  if (config.port === 0) return Promise.resolve(false)
  const address = `${ownApiAddress(config, config.port)}/healthz`
  return new Promise(resolve => {
    const options = { timeout: PATIENCE_MS, signal: AbortSignal.timeout(PATIENCE_MS) }
    const secure = { ...options, rejectUnauthorized: false }
    const asked = address.startsWith('https:') ? secureRequest(address, secure) : request(address, options)
    asked.on('error', () => resolve(false))
    asked.on('response', reply => {
      let body = ''
      reply.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      reply.on('end', () => resolve(reply.statusCode === 200 && body === '{"status":"ok"}'))
      reply.on('error', () => resolve(false))
    })
    asked.end()
  })
}

/** @throws OperatorError when it cannot be used, or no PostgreSQL is embedded for this machine */
export async function lookAtFolder(dataFolder: string, mayMove: boolean): Promise<FolderFacts> {
  const location = await chooseLocation(dataFolder, mayMove, SILENT)
  const { major } = await findPackage()
  const nearest = await nearestFolder(location.folder)
  return {
    folder: location.folder,
    freeBytes: await freeBytesOf(nearest),
    isWritable: await isWritable(nearest, location),
    cluster: await lookAtCluster(location.cluster),
    uid: location.account?.uid ?? process.getuid?.(),
    embeddedMajor: major,
  }
}

async function lookAtCluster(cluster: string): Promise<FolderFacts['cluster']> {
  const found = await stat(cluster).catch(() => undefined)
  if (!found) return undefined
  const { uid: ownerUid, mode } = found
  // Without the right to read it, who owns it says all that matters.
  const names = await readdir(cluster).catch(() => undefined)
  if (names?.length === 0) return undefined
  const major = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')
  const isOurs = names === undefined || (names.includes(MARK) && names.includes('PG_VERSION'))
  return { isOurs, major: major.trim(), ownerUid, mode: mode & 0o777 }
}

async function isWritable(folder: string, { account }: DatabaseLocation): Promise<boolean> {
  if (account && !(await canReach(folder, account))) return false
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
}

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
    where application_name in ('tacho writer', 'tacho notifier', 'tacho lease') and datname = current_database()
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

interface TableSize {
  readonly name: string
  readonly bytes: number
}

function readTableSizes(connection: Connection): Promise<TableSize[]> {
  return connection.rows<TableSize>(sql`
    select c.relname as name, table_bytes(c.oid)::float8 as bytes
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass('samples')`)
}

const WEEKS = 4

/** Bytes a day of the last four full weeks, or of this week where there is no full one; undefined without any. */
export function growthBytesPerDay(tables: readonly TableSize[], nowMs: number): number | undefined {
  const weeks = tables.flatMap(({ name, bytes }) => {
    const span = spanOfTable(name)
    return span && span.toMs - span.fromMs === 7 * DAY_MS ? [{ ...span, bytes }] : []
  })
  const full = weeks.filter(({ toMs }) => toMs <= nowMs && toMs > nowMs - WEEKS * 7 * DAY_MS)
  const counted = full.length > 0 ? full : weeks.filter(({ fromMs, toMs }) => fromMs <= nowMs - DAY_MS && toMs > nowMs)
  const days = counted.reduce((sum, { fromMs, toMs }) => sum + (Math.min(toMs, nowMs) - fromMs) / DAY_MS, 0)
  const bytes = counted.reduce((sum, table) => sum + table.bytes, 0)
  return bytes > 0 && days > 0 ? bytes / days : undefined
}
