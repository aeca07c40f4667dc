import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { cannotRun } from './create.ts'
import { relayLine } from './log.ts'
import { serverEnvironment } from './settings.ts'
import type { Setup } from './setup.ts'

/** One run of PostgreSQL as our child. */
export interface ServerProcess {
  readonly pid: number
  /** True once it accepts connections, false when it ended before that. */
  readonly ready: Promise<boolean>
  /** Resolves with its last log lines. */
  readonly exited: Promise<readonly string[]>
  /** Resolves when the process is gone. */
  stop(): Promise<void>
}

const KEPT_LINES = 20
/** A fast stop only rolls back and writes dirty pages, at most the size of shared_buffers. */
const FAST_STOP_MS = 60_000
const IMMEDIATE_STOP_MS = 10_000

/**
 * Starts PostgreSQL. It runs in its own process session (`detached`), so that Ctrl-C in a terminal does not stop it while
 * other processes still need it.
 */
export function startProcess({ location, binaries, socketFolder, log }: Setup): ServerProcess {
  const doors = {
    listen_addresses: '',
    port: '5432',
    // Relative if possible, so that the folder can be moved while a server runs in it.
    unix_socket_directories: socketFolder === location.cluster ? '.' : `"${socketFolder.replaceAll('"', '""')}"`,
  }
  const switches = Object.entries(doors).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(binaries.postgres, ['-D', location.cluster, ...switches], {
    ...(location.account && { uid: location.account.uid, gid: location.account.gid }),
    cwd: '/',
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
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), limitMs)
    gone.then(() => resolve(true), reject).finally(() => clearTimeout(timer))
  })
}
