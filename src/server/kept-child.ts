import { type ChildProcess, fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { Backoff, pause } from '../lib/clock.ts'
import { OperatorError } from '../model/errors.ts'
import type { ChildMessage, SupervisorMessage } from './process.ts'

interface ChildOptions {
  readonly name: string
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  /** Arguments for Node, in addition to those of this process. */
  readonly nodeOptions?: readonly string[]
  readonly log: Logger
  /** Called with the port whenever the child starts to listen, and with undefined when it no longer does. */
  readonly onPort?: (port: number | undefined) => void
  /** Until when a start that fails for a transient reason is retried (`Date.now()`). */
  readonly patientUntil?: number
  /** A child is killed after this long without a heartbeat, once it has sent one; never when undefined. */
  readonly longestSilenceMs?: number | undefined
}

export interface KeptChild {
  /** Resolves when it listens for the first time. Rejects with an OperatorError when its first start fails. */
  readonly started: Promise<number>
  send(message: SupervisorMessage): void
  /** Stops it after it has finished what is in flight. */
  stop(): Promise<void>
}

interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly refused?: Extract<ChildMessage, { type: 'refused' }>
}

const STOP_LIMIT_MS = 35_000
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** A child that ran this long was healthy: its next restart is immediate again. */
const WELL_AFTER_MS = 60_000
const REFUSED_PAUSE_MS = 250

const PROGRAM = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url))

export function keepChild(options: ChildOptions): KeptChild {
  const { name, log } = options
  const stopping = new AbortController()
  let child: ChildProcess | undefined
  let onStarted: (port: number) => void = () => undefined
  let onRefused: (reason: OperatorError) => void = () => undefined
  let hasStarted = false
  const started = new Promise<number>((resolve, reject) => {
    onStarted = resolve
    onRefused = reject
  })
  // Callers that wait for it get the reason; it must not be an unhandled rejection.
  started.catch(() => undefined)

  function run(): Promise<Ending> {
    const current = fork(PROGRAM, options.args, {
      env: options.environment,
      execArgv: [...process.execArgv, ...(options.nodeOptions ?? [])],
    })
    child = current
    let refused: Ending['refused']
    let silence: Silence | undefined
    const watch = setInterval(() => endIfSilent(current, silence?.measure(performance.now()) ?? 0), BEAT_MS)
    current.on('message', (message: ChildMessage) => {
      if (message.type === 'refused') refused = message
      else if (message.type === 'alive') (silence ??= new Silence(performance.now())).heard()
      else {
        hasStarted = true
        if (message.type === 'working') return
        onStarted(message.port)
        options.onPort?.(message.port)
      }
    })
    // For example a message to a child that is dying; its exit is handled below.
    current.on('error', error => log.debug({ err: error }, `${name} process`))
    return new Promise(resolve => {
      current.once('exit', (code, signal) => {
        clearInterval(watch)
        resolve({ code, signal, ...(refused && { refused }) })
      })
    })
  }

  /** Data in flight there is not acknowledged yet, so it is sent again; a blocked child would not react to SIGTERM. */
  function endIfSilent(current: ChildProcess, silentMs: number): void {
    const { longestSilenceMs } = options
    if (longestSilenceMs === undefined || silentMs < longestSilenceMs || stopping.signal.aborted) return
    log.error({ silentMs: Math.round(silentMs) }, `The event loop of the ${name} process is blocked: it is ended.`)
    current.kill('SIGKILL')
  }

  async function keep(): Promise<void> {
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS)
    for (;;) {
      const since = Date.now()
      const ending = await run()
      child = undefined
      options.onPort?.(undefined)
      if (stopping.signal.aborted) return
      if (!hasStarted && !mayPass(ending, options)) return onRefused(new OperatorError(sentenceOf(name, ending)))
      if (hasStarted)
        log.error({ code: ending.code, signal: ending.signal }, `${sentenceOf(name, ending)} It is started again.`)
      const wasWell = Date.now() - since > WELL_AFTER_MS
      if (wasWell) backoff.reset()
      const pauseMs = wasWell ? 0 : backoff.next()
      await pause(hasStarted ? pauseMs : REFUSED_PAUSE_MS, stopping.signal)
      if (stopping.signal.aborted) return
    }
  }
  const kept = keep()

  return {
    started,
    send: message => {
      if (child?.connected) child.send(message)
    },
    async stop() {
      stopping.abort()
      // Not a signal: Ctrl-C in a terminal has already sent one to the child, and a second one forces an immediate exit.
      if (child?.connected) child.disconnect()
      const timer = setTimeout(() => child?.kill('SIGKILL'), STOP_LIMIT_MS)
      await kept
      clearTimeout(timer)
    },
  }
}

function mayPass({ refused }: Ending, { patientUntil = 0 }: ChildOptions): boolean {
  return refused !== undefined && refused.passing && Date.now() < patientUntil
}

function sentenceOf(name: string, { code, signal, refused }: Ending): string {
  return refused?.sentence ?? `The ${name} process has ended with ${signal ?? `code ${code}`}.`
}

/** Interval of heartbeats, and of the checks for missing ones. */
export const BEAT_MS = 2000

/** Measures for how long another process has sent nothing, without time in which this process itself did not run. */
export class Silence {
  #silentMs = 0
  #lookedMs: number

  /** @param nowMs of a monotonic clock, in milliseconds */
  constructor(nowMs: number) {
    this.#lookedMs = nowMs
  }

  heard(): void {
    this.#silentMs = 0
  }

  measure(nowMs: number): number {
    // A check that runs later than twice its interval was delayed in this process.
    this.#silentMs += Math.min(nowMs - this.#lookedMs, 2 * BEAT_MS)
    this.#lookedMs = nowMs
    return this.#silentMs
  }
}
