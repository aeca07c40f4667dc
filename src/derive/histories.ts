import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { clientErrorOf } from '../db/faults.ts'
import type { DeviceId } from '../model/sample.ts'
import { deriveHistory } from './derive.ts'
import { countHistories, countOutdated, readNextHistory } from './due.ts'
import type { Failing } from './failing.ts'
import type { HistorySize } from './folding.ts'
import type { Pace } from './pace.ts'
import type { RefoldObserver, RefoldProgress } from './progress.ts'

export interface HistoriesOptions {
  readonly pace: Pace
  readonly signal: AbortSignal
  readonly failing: Failing
  readonly progress: RefoldProgress
  readonly log: Logger
  readonly observe: RefoldObserver
  readonly size?: HistorySize
}

/**
 * Folds the histories again that are due because rules changed (docs/adr/0034) or because an older version of the program folded them
 * (docs/adr/0016): one device after the other, the accounts in turn. Devices that fail do not delay others.
 * @returns how many were done
 * @throws when the database fails: then it is to be tried again
 */
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
