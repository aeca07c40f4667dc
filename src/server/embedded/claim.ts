import { execFile } from 'node:child_process'
import { readFile, realpath, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { isProcessAlive } from '../../lib/process.ts'
import { codeOrTextOf, OperatorError } from '../../model/errors.ts'
import { type DatabaseLocation, diskFull } from './location.ts'
import {
  FolderInUse,
  lastComplaint,
  PATIENCE_MS,
  PAUSE_MS,
  removeSocketFolder,
  type ServerProcess,
  type Setup,
  STARTED_BY,
  startProcess,
  stopPostgres,
} from './process.ts'
import { ADMIN_ROLE, SERVICE_DATABASE, SERVICE_ROLE } from './settings.ts'

/** A running PostgreSQL that is our child and whose folder is ours. */
export interface Claim {
  readonly server: ServerProcess
  readonly session: Session
}

/** First stops a PostgreSQL that a dead Tacho left behind. The lock inside the database decides who owns the folder.
 * @throws OperatorError when another Tacho has it, or PostgreSQL does not start */
export async function claim(setup: Setup): Promise<Claim> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    await stopOrphan(setup, deadline)
    await removeEmptyLock(setup.location.cluster)
    const attempt = await tryStart(setup)
    if (attempt !== 'again') return attempt
    if (Date.now() > deadline)
      throw new OperatorError(`PostgreSQL in ${setup.location.cluster} neither starts nor stops.`)
    await sleep(PAUSE_MS)
  }
}

async function tryStart(setup: Setup): Promise<Claim | 'again'> {
  const { location } = setup
  const server = startProcess(setup)
  if (!(await server.ready)) return judge(await server.exited, location)
  const session = await openSession(setup.socketFolder).catch(codeOrTextOf)
  if (typeof session === 'string') {
    // Otherwise another process took our server for an orphan before we had the lock, and is stopping it.
    if (session !== NOT_LET_IN) return 'again'
    await server.stop()
    throw new OperatorError(`PostgreSQL in ${location.cluster} does not recognise the user that runs Tacho.`)
  }
  const lock = await takeLock(session)
  if (lock === 'taken') {
    await ensureDatabase(session)
    return { server, session }
  }
  await session.close()
  if (lock !== 'locked') return 'again'
  throw new FolderInUse(location, server.pid)
}

/** The error behind the last log lines of a PostgreSQL that did not start. */
function judge(lines: readonly string[], location: DatabaseLocation): 'again' {
  const text = lines.join('\n')
  // Another one is starting, or the processes of a killed one are not all gone yet. Its lock file is empty for a moment.
  const isLocked = lines.some(line => /lock file "[^"]*" (already exists|is empty)/.test(line))
  if (isLocked || text.includes('pre-existing shared memory block')) return 'again'
  if (/No space left on device|Disk quota exceeded/.test(text)) throw diskFull(location)
  throw new OperatorError(`PostgreSQL in ${location.cluster} did not start: ${lastComplaint(lines)}`)
}

/** Stops a server in the folder whose Tacho is dead. @throws FolderInUse when its Tacho is alive. */
export async function stopOrphan(setup: Setup, deadline: number): Promise<void> {
  for (;;) {
    const found = await readPostmaster(setup.location.cluster)
    if (!found) return
    const outcome = await approach(found, setup)
    if (outcome === 'gone') return
    if (Date.now() > deadline)
      throw new OperatorError(
        `PostgreSQL process ${found.pid} serves ${setup.location.cluster} but does not answer: stop it first.`,
      )
    await sleep(PAUSE_MS)
  }
}

async function approach(found: Postmaster, setup: Setup): Promise<'gone' | 'again'> {
  const alive = await servesCluster(found.pid, setup.location.cluster)
  const session = await openSession(found.socketFolder).catch(codeOrTextOf)
  if (typeof session === 'string') {
    if (!alive) return removeStale(found, setup)
    if (session === NOT_LET_IN) throw new FolderInUse(setup.location, found.pid)
    // It is starting, recovering or stopping, which must not be interrupted.
    return 'again'
  }
  try {
    // Between its start and its lock, or between two locks, nothing else tells that it is no orphan.
    if (await isOfAnother(session)) throw new FolderInUse(setup.location, found.pid)
    const lock = await takeLock(session)
    if (lock === 'lost') return 'again'
    // One that answers but is no process here runs in another container, whatever its lock file says.
    if (lock === 'locked' || !alive) throw new FolderInUse(setup.location, alive ? found.pid : undefined)
    if (lock === 'left') return 'again'
    setup.log.warn({ postgresPid: found.pid }, 'a PostgreSQL that an earlier Tacho left behind is stopped')
    await stopPostgres(signal => process.kill(found.pid, signal), untilGone(found.pid, setup.location.cluster))
    await removeItsSocket(found, setup)
    return 'gone'
  } finally {
    await session.close()
  }
}

async function untilGone(pid: number, cluster: string): Promise<void> {
  while (await servesCluster(pid, cluster)) await sleep(20)
}

async function removeStale(found: Postmaster, setup: Setup): Promise<'gone'> {
  const now = await readPostmaster(setup.location.cluster)
  if (now?.pid === found.pid) await removeLocks(setup.location.cluster)
  await removeItsSocket(found, setup)
  return 'gone'
}

async function removeItsSocket(found: Postmaster, setup: Setup): Promise<void> {
  if (found.socketFolder !== setup.socketFolder) await removeSocketFolder(found.socketFolder)
}

/** PostgreSQL's code when it denies us access (invalid_authorization_specification). */
const NOT_LET_IN = '28000'

/** The supervisor's own connection. While it holds the lock, the folder is ours. */
interface Session {
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
    application_name: STARTED_BY,
    connectionTimeoutMillis: 5000,
  })
  // The end of the connection is handled; the error before it adds nothing.
  client.on('error', () => undefined)
  const ended = new Promise<void>(fulfil => {
    client.once('end', fulfil)
  })
  await client.connect()
  return { client, ended, close: () => client.end().catch(() => undefined) }
}

/** @returns `left` where the dead holder's session is not gone yet, `lost` without a server */
export async function takeLock({ client }: Session): Promise<'taken' | 'locked' | 'left' | 'lost'> {
  try {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(7411, 100) as taken')
    if (rows[0]?.taken) return 'taken'
    const { rows: holders } = await client.query<{ name: string }>(`
      select application_name as name from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and (classid, objid, objsubid) = (7411, 100, 2) and granted`)
    return holders.some(({ name }) => mayBeAlive(name)) ? 'locked' : 'left'
  } catch {
    return 'lost'
  }
}

function mayBeAlive(name: string): boolean {
  const pid = supervisorIn(name)
  return pid === undefined || isProcessAlive(pid)
}

/** True when the Tacho that started this PostgreSQL is alive, and not this one. */
async function isOfAnother({ client }: Session): Promise<boolean> {
  const answer = await client
    .query<{ name: string }>(`select current_setting('cluster_name') as name`)
    .catch(() => undefined)
  const pid = supervisorIn(answer?.rows[0]?.name ?? '')
  return pid !== undefined && pid !== process.pid && isProcessAlive(pid)
}

function supervisorIn(name: string): number | undefined {
  const [, pid] = /^tacho supervisor (\d+)$/.exec(name) ?? []
  return pid === undefined ? undefined : Number(pid)
}

/** Creates role and database of the service if they are missing: a first start may have been interrupted at any point. */
async function ensureDatabase({ client }: Session): Promise<void> {
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

/** The lock file that a running PostgreSQL writes into its folder. */
interface Postmaster {
  readonly pid: number
  readonly socketFolder: string
}

const postmasterFile = (cluster: string) => join(cluster, 'postmaster.pid')

/** The lock file that a running PostgreSQL writes beside its socket: in the folder of the database, unless that has a long path. */
export const SOCKET_LOCK = '.s.PGSQL.5432.lock'

/** PostgreSQL does not remove them where another process has its id, as in containers. */
async function removeLocks(cluster: string): Promise<void> {
  await rm(join(cluster, SOCKET_LOCK), { force: true })
  await rm(postmasterFile(cluster), { force: true })
}

/** Reads which process serves, or served, `cluster`; undefined when the file is missing or not written yet. */
export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const lines = (await readFile(postmasterFile(cluster), 'utf8').catch(() => '')).split('\n')
  const pid = Number(lines[0])
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  // The fifth line is written after the first; a relative folder is relative to PostgreSQL's own.
  return { pid, socketFolder: resolve(cluster, lines[4]?.trim() || '.') }
}

/** PostgreSQL writes its process id at once after it made the file, so an empty one of this age is what a crash left. */
const EMPTY_AFTER_CRASH_MS = 5_000

/** Removes a lock file that a crash of the machine left empty; PostgreSQL would refuse to start because of it. */
async function removeEmptyLock(cluster: string): Promise<void> {
  const file = await stat(postmasterFile(cluster)).catch(() => undefined)
  // A clock that was set back makes the file look as if it were made in the future.
  if (file?.size !== 0 || Math.abs(Date.now() - file.mtimeMs) < EMPTY_AFTER_CRASH_MS) return
  await rm(postmasterFile(cluster), { force: true })
}

/** True for a live PostgreSQL that serves `cluster`, false for another process that reuses the id. */
export async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  const command = await commandLine(pid)
  if (!/^\S*\bpostgres |\/postgres -D /.test(command)) return false
  if (command.includes(` -D ${cluster} `)) return true
  const [itsFolder, ours] = await Promise.all([`/proc/${pid}/cwd`, cluster].map(path => realpath(path).catch(() => '')))
  return itsFolder !== '' && itsFolder === ours
}

const run = promisify(execFile)

/** Empty for a process that is gone or a zombie. */
async function commandLine(pid: number): Promise<string> {
  if (process.platform === 'linux')
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')
  const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return `${stdout.trim()} `
}
