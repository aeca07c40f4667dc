import type { Logger } from 'pino'
import type { Connection, Database } from '../../db/database.ts'
import { clientErrorOf } from '../../db/faults.ts'
import { LOCKS, whenAlone } from '../../db/locks.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { Backlog } from '../backlog/backlog.ts'
import { countHistories, countOutdated, readOutdatedDevice } from '../device-records/refolds.ts'
import type { Failing } from '../out-of-order/failing.ts'
import type { StretchSize } from './fold-stretch.ts'
import type { Pace } from './pace.ts'
import type { RefoldObserver, RefoldProgress } from './progress.ts'
import { refoldHistory } from './refold-history.ts'

export interface OutdatedOptions {
  readonly pace: Pace
  readonly signal: AbortSignal
  readonly failing: Failing
  readonly progress: RefoldProgress
  readonly log: Logger
  readonly observe: RefoldObserver
  readonly size?: StretchSize
  /** See `lockDevices`. */
  readonly backlog?: Backlog
}

/**
 * Refolds the histories of all devices that were folded by older rules, one device after the other (docs/adr/0016). One node
 * at a time does it; when it ends, another one continues. Devices that fail do not delay others.
 * @throws when the database fails: then it is to be retried
 */
export async function refoldOutdated(database: Database, options: OutdatedOptions): Promise<void> {
  const { observe, failing } = options
  const outdated = await countOutdated(database)
  observe.waiting(outdated, Math.min(failing.count, outdated))
  if (outdated > 0) await whenAlone(database, LOCKS.refold, connection => refoldEach(database, connection, options))
}

async function refoldEach(
  database: Database,
  connection: Connection,
  { signal, failing, progress, log, observe, ...options }: OutdatedOptions,
): Promise<void> {
  progress.begin(await countHistories(connection), await countOutdated(connection))
  while (!signal.aborted) {
    const deviceId = await readOutdatedDevice(connection, failing.resting())
    if (deviceId === undefined) break
    const isDone = await triedApart(deviceId, { failing, log }, () =>
      refoldHistory(database, deviceId, {
        ...options,
        signal,
        observeWritten(seconds) {
          observe.written(seconds)
          progress.logNowAndThen(deviceId)
        },
      }),
    )
    if (isDone) progress.oneDone()
    observe.waiting(progress.left, Math.min(failing.count, progress.left))
  }
  if (!signal.aborted) progress.end()
}

/** @returns false when it failed because of a bug, or was stopped. @throws transient errors */
async function triedApart(
  deviceId: DeviceId,
  { failing, log }: Pick<OutdatedOptions, 'failing' | 'log'>,
  refold: () => Promise<boolean>,
): Promise<boolean> {
  try {
    const isDone = await refold()
    if (isDone) failing.succeeded(deviceId)
    return isDone
  } catch (error) {
    if (clientErrorOf(error)) throw error
    failing.failed(deviceId, false)
    log.error({ err: error, deviceId }, 'the history of a device could not be folded again; it will be tried again')
    return false
  }
}
