import { once } from 'node:events'
import { type Logger, pino } from 'pino'
import type { Config } from '../config.ts'

/** Sent by a child process to its supervisor. */
export type ChildMessage =
  | { readonly type: 'listening'; readonly port: number }
  /** It is running, and does not listen. */
  | { readonly type: 'working' }
  /** A heartbeat: its event loop is not blocked. A child that never sends one is not expected to. */
  | { readonly type: 'alive' }
  /** It cannot start: a sentence for the operator; `passing` when a retry may succeed. */
  | { readonly type: 'refused'; readonly sentence: string; readonly passing: boolean }

/** Sent by the supervisor: to the api process where the intake listens, without a URL if it does not at the moment; to
 * the intake whether the disk has room for no more. */
export type SupervisorMessage =
  | { readonly type: 'intake'; readonly url?: string }
  | { readonly type: 'disk'; readonly isShort: boolean }

export function isSupervisorMessage(message: unknown): message is SupervisorMessage {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false
  return message.type === 'intake' || message.type === 'disk'
}

/** True when a supervisor started this process, alive or not. */
export const isSupervised = (): boolean => process.send !== undefined

/** A terminal sends Ctrl-C to every process, and npm forwards it as well: signals this close together are one request. */
const SAME_REQUEST_MS = 1000

/** SIGTERM, SIGINT, SIGHUP, and for a child the end of its supervisor. A second request, or a stop that takes longer
 * than `limitMs`, ends the process with code 1. */
export function awaitStop(log: Logger, limitMs?: number): AbortSignal {
  const controller = new AbortController()
  let firstAt = 0
  const request = (cause: string) => {
    if (!firstAt) {
      firstAt = Date.now()
      log.info({ cause }, 'stopping')
      if (limitMs !== undefined) setTimeout(() => giveUp(`not stopped after ${limitMs / 1000} s`), limitMs).unref()
      controller.abort()
    } else if (cause !== 'disconnect' && Date.now() - firstAt > SAME_REQUEST_MS) giveUp(`a second ${cause}`)
  }
  const giveUp = (why: string) => {
    log.error(`${why}: ended at once`)
    process.exit(1)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => request(signal))
  process.on('disconnect', () => request('disconnect'))
  // The supervisor was gone before we listened.
  if (isSupervised() && !process.connected) request('disconnect')
  return controller.signal
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

export function processLog(role: string, { logLevel }: Pick<Config, 'logLevel'>): Logger {
  return pino({ level: logLevel, base: { pid: process.pid, role } })
}

/** The address, `host:port`, at which this machine reaches its own server that listens on `host`. */
export function ownHostPort(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '') return `127.0.0.1:${port}`
  if (host === '::') return `[::1]:${port}`
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

export function ownAddress(host: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  return `${scheme}://${ownHostPort(host, port)}`
}

export function ownApiAddress({ host, tlsCertFile }: Pick<Config, 'host' | 'tlsCertFile'>, port: number): string {
  return ownAddress(host, port, tlsCertFile === undefined ? 'http' : 'https')
}
