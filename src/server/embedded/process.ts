import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../model/errors.ts'
import type { Binaries } from './binaries.ts'
import { cannotRun, type DatabaseLocation, type EmbeddedLog, handOver, runAs } from './location.ts'
import { serverEnvironment } from './settings.ts'

export interface ServerProcess {
  readonly pid: number
  /** True once it accepts connections, false when it ended before that. */
  readonly ready: Promise<boolean>
  readonly exited: Promise<readonly string[]>
  stop(): Promise<void>
}

/** What we are called in the database: by our process. */
export const STARTED_BY = `tacho supervisor ${process.pid}`

const KEPT_LINES = 20
/** A fast stop only rolls back and writes dirty pages, at most the size of shared_buffers. */
const FAST_STOP_MS = 60_000
const IMMEDIATE_STOP_MS = 10_000

/** Starts PostgreSQL, `detached` so that Ctrl-C in a terminal does not stop it while others still need it. */
export function startProcess({ location, binaries, socketFolder, log }: Setup): ServerProcess {
  const switches = {
    listen_addresses: '',
    port: '5432',
    // Tells others whose it is, before we have the lock as well.
    cluster_name: STARTED_BY,
    // Relative if possible, so that the folder can be moved while a server runs in it.
    unix_socket_directories: socketFolder === location.cluster ? '.' : `"${socketFolder.replaceAll('"', '""')}"`,
  }
  const flags = Object.entries(switches).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(binaries.postgres, ['-D', location.cluster, ...flags], {
    ...runAs(location),
    env: serverEnvironment(),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lines: string[] = []
  let onReady: (ready: boolean) => void = () => undefined
  const ready = new Promise<boolean>(resolve => {
    onReady = resolve
  })
  createInterface({ input: child.stderr }).on('line', line => {
    if (lines.push(line) > KEPT_LINES) lines.shift()
    relayLine(line, log)
    if (line.includes('database system is ready to accept connections')) onReady(true)
  })
  const exited = new Promise<readonly string[]>((resolve, reject) => {
    child.once('error', error => reject(cannotRun(binaries.postgres, error)))
    // Not 'close': backends of a killed server keep its log open for a moment.
    child.once('exit', () => setImmediate(() => resolve(lines)))
  })
  exited.then(
    () => onReady(false),
    () => onReady(false),
  )
  const stop = () =>
    stopPostgres(
      signal => child.kill(signal),
      exited.then(() => undefined),
    )
  return { pid: child.pid ?? 0, ready, exited, stop }
}

/** Why PostgreSQL ended, by its last log lines. */
export function lastComplaint(lines: readonly string[]): string {
  const last = lines.findLast(line => /^(FATAL|PANIC):/.test(line)) ?? lines.at(-1) ?? 'it said nothing'
  return last.replace(/^[A-Z]+:\s*/, '')
}

/** Stops PostgreSQL: with a fast shutdown, then an immediate one, then SIGKILL. */
export async function stopPostgres(send: (signal: NodeJS.Signals) => void, gone: Promise<void>): Promise<void> {
  send('SIGINT')
  if (await within(gone, FAST_STOP_MS)) return
  send('SIGQUIT')
  if (await within(gone, IMMEDIATE_STOP_MS)) return
  send('SIGKILL')
  await gone
}

function within(gone: Promise<void>, limitMs: number): Promise<boolean> {
  return Promise.race([gone.then(() => true), sleep(limitMs, false, { ref: false })])
}

const LEVELS: Readonly<Record<string, keyof EmbeddedLog>> = {
  WARNING: 'warn',
  FATAL: 'warn',
  PANIC: 'error',
}

/** Messages that every stop and restart logs once per connection, and one that a read whose reader left may leave. */
const EXPECTED = /^(terminating connection|the database system is|skipping special file|connection to client lost)/

/** Forwards one line of PostgreSQL's log. The ERROR of a statement is reported by its sender, so here it is only detail. */
function relayLine(line: string, log: EmbeddedLog): void {
  const [, severity = '', text = line] = /^([A-Z]+): {1,2}(.*)$/.exec(line) ?? []
  const level = EXPECTED.test(text) ? 'debug' : (LEVELS[severity] ?? 'debug')
  log[level]({ postgres: severity || undefined }, text)
}

/** For commands beside the service, which has logged everything about the location at its start. */
export const SILENT: EmbeddedLog = { debug: ignore, info: ignore, warn: ignore, error: ignore }

function ignore(): void {}

/** The path of a socket may have 103 bytes (macOS) or 107 (Linux); `/.s.PGSQL.5432.lock` takes some of them. */
const LONGEST_FOLDER_BYTES = 84
const PREFIX = 'tacho-socket-'

/** A folder that no other user can enter: that of the database, or a new one where its path is too long. */
export async function makeSocketFolder(location: DatabaseLocation): Promise<string> {
  if (Buffer.byteLength(location.cluster) <= LONGEST_FOLDER_BYTES) return location.cluster
  const folder = await mkdtemp(join(tmpdir(), PREFIX))
  await handOver(folder, location)
  return folder
}

export async function removeSocketFolder(folder: string): Promise<void> {
  if (dirname(folder) === tmpdir() && basename(folder).startsWith(PREFIX))
    await rm(folder, { recursive: true, force: true })
}

export interface Setup {
  readonly location: DatabaseLocation
  readonly binaries: Binaries
  readonly socketFolder: string
  readonly log: EmbeddedLog
}

/** The folder belongs to another process; trying again would not help. */
export class FolderInUse extends OperatorError {
  constructor(location: DatabaseLocation, pid?: number) {
    const whose = pid ? ` (its PostgreSQL is process ${pid})` : ''
    super(
      `The data folder ${location.folder} is in use by another Tacho${whose}: stop that one, or choose another folder with TACHO_DATA.`,
    )
  }
}

/** How long we wait for another process that starts, stops or recovers in the same folder. */
export const PATIENCE_MS = 60_000
export const PAUSE_MS = 100
