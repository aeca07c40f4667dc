import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { clientErrorOf } from '../db/faults.ts'
import { type Clock, pause, SYSTEM_CLOCK } from '../lib/clock.ts'
import type { DeviceId } from '../model/sample.ts'
import { deriveHistory } from './derive.ts'
import { countHistories, countOutdated, readNextHistory } from './due.ts'
import type { Failing } from './failing.ts'
import type { HistorySize } from './folding.ts'

export interface HistoriesOptions {
  readonly pace: Pace
  readonly signal: AbortSignal
  readonly failing: Failing
  readonly progress: RefoldProgress
  readonly log: Logger
  readonly observe: RefoldObserver
  readonly size?: HistorySize
}

/** Folds due histories again (docs/adr/0034, docs/adr/0016), one device at a time, the accounts in turn. Failing
 * devices do not delay others. @returns how many @throws when the database fails: to be tried again */
export async function deriveHistories(database: Database, options: HistoriesOptions): Promise<number> {
  const { signal, failing, progress, observe } = options
  const outdated = await countOutdated(database)
  if (outdated > 0) progress.begin(await countHistories(database), outdated)
  let done = 0
  while (!signal.aborted) {
    const device = await readNextHistory(database, failing.resting())
    if (!device) break
    if (await deriveApart(database, device.deviceId, options)) done++
    const left = await countOutdated(database)
    progress.left(left)
    observe.waiting(left, Math.min(failing.count, left))
  }
  if (!signal.aborted && outdated > 0) progress.end()
  return done
}

/** @returns false when it failed because of a bug, or was stopped. @throws transient errors */
async function deriveApart(
  database: Database,
  deviceId: DeviceId,
  { pace, signal, failing, progress, log, observe, size }: HistoriesOptions,
): Promise<boolean> {
  try {
    const isDone = await deriveHistory(database, deviceId, {
      rest: workedMs => pace.restAfter(workedMs),
      signal,
      observeWritten(seconds) {
        observe.written(seconds)
        progress.logNowAndThen(deviceId)
      },
      ...(size && { size }),
    })
    if (isDone) failing.succeeded(deviceId)
    return isDone
  } catch (error) {
    if (clientErrorOf(error)) throw error
    failing.failed(deviceId, false)
    log.error({ err: error, deviceId }, 'the history of a device could not be folded again; it will be tried again')
    return false
  }
}

const LOG_EVERY_MS = 60_000

export interface RefoldObserver {
  /** Devices whose history is not yet folded by the rules of this program, and those of them that failed. */
  waiting(devices: number, failed: number): void
  /** How long a transaction took that wrote a stretch. */
  written(seconds: number): void
}

/** Logs how many histories have been refolded. It lives as long as the process, so that nothing is logged twice. */
export class RefoldProgress {
  readonly #log: Logger
  readonly #clock: Clock
  #devices = 0
  #left = 0
  #loggedLeft: number | undefined
  #loggedMs = 0

  constructor(log: Logger, clock: Clock = SYSTEM_CLOCK) {
    this.#log = log
    this.#clock = clock
  }

  /** @param devices all that have a history @param left those of them that are to be folded again */
  begin(devices: number, left: number): void {
    this.#devices = devices
    this.#left = left
    if (this.#loggedLeft !== undefined) return
    this.#noteLogged()
    this.#log.info(
      { devices, left },
      `trips are worked out by newer rules than before: the history of ${text(left)} of ${text(devices)} devices is folded again in the background`,
    )
  }

  /** @param left devices whose history is still to be folded again */
  left(left: number): void {
    this.#left = left
  }

  /** Logs the progress now and then. @param deviceId the current one */
  logNowAndThen(deviceId: number): void {
    if (this.#clock.monotonicMs() - this.#loggedMs >= LOG_EVERY_MS) this.#logLeft({ deviceId })
  }

  /** There is nothing more to do for now. */
  end(): void {
    if (this.#loggedLeft !== undefined && this.#left !== this.#loggedLeft) this.#logLeft({})
  }

  #logLeft(at: { readonly deviceId?: number }): void {
    this.#noteLogged()
    const [devices, left] = [this.#devices, this.#left]
    this.#log.info({ devices, left, ...at }, `folded again ${text(devices - left)} of ${text(devices)} devices`)
  }

  #noteLogged(): void {
    this.#loggedLeft = this.#left
    this.#loggedMs = this.#clock.monotonicMs()
  }
}

function text(count: number): string {
  return count.toLocaleString('en-US')
}

/** Work takes at most a quarter of the time, and hardly any while there is more urgent work. */
const RESTS_PER_WORK = 3
const RESTS_PER_WORK_BUSY = 30
/** The longest rest, however long one piece of work took. */
const LONGEST_REST_MS = 10_000

/** Slows down background work in favour of work that clients wait for. */
export interface Pace {
  /** Rests in proportion to the work done since the last rest. Returns at once when the process stops. */
  restAfter(workedMs: number): Promise<void>
}

/** @param isBusy whether this process has more urgent things to do at the moment */
export function lowPriority(isBusy: () => boolean, signal: AbortSignal): Pace {
  return {
    async restAfter(workedMs) {
      const restMs = Math.min(LONGEST_REST_MS, workedMs * (isBusy() ? RESTS_PER_WORK_BUSY : RESTS_PER_WORK))
      await pause(restMs, signal)
    },
  }
}
