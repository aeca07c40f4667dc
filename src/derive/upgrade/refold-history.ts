import type { Database } from '../../db/database.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { Backlog } from '../backlog/backlog.ts'
import { beginStretch, enterRefold } from '../device-records/refolds.ts'
import { foldStretch, STRETCH_SIZE, type StretchSize } from './fold-stretch.ts'
import type { Pace } from './pace.ts'
import { type StretchOutcome, writeStretch } from './write-stretch.ts'

/** After this many attempts, when out-of-order samples are folded all the time, a stretch is folded while the device is locked. */
const OVERTAKEN_OFTEN = 3
/** Out-of-order samples that interfered are probably still arriving. */
const OVERTAKEN_PAUSE_MS = 300

interface RefoldOptions {
  readonly pace: Pace
  readonly signal: AbortSignal
  /** Called with the time of each transaction that wrote a stretch. */
  readonly observeWritten?: (seconds: number) => void
  readonly size?: StretchSize
  /** See `lockDevices`. */
  readonly backlog?: Backlog
  /** It is to be folded again from where its row says, if there still is one. */
  readonly isEntered?: boolean
}

/**
 * Refolds the whole history of a device, stretch by stretch, from where it was left (docs/adr/0016). Reading and folding
 * need no locks; only to write differences is the device locked, for some milliseconds per stretch.
 * @returns whether all of it is done; false when it was stopped.
 */
export async function refoldHistory(database: Database, deviceId: DeviceId, options: RefoldOptions): Promise<boolean> {
  const { pace, signal } = options
  if (!options.isEntered) await writeTransaction(database, transaction => enterRefold(transaction, deviceId))
  for (let overtaken = 0; !signal.aborted; ) {
    const outcome =
      overtaken < OVERTAKEN_OFTEN
        ? await stretchApart(database, deviceId, options)
        : await stretchHeld(database, deviceId, options)
    if (outcome === 'done') return true
    overtaken = outcome === 'overtaken' ? overtaken + 1 : 0
    if (outcome === 'overtaken') await pace.restAfter(OVERTAKEN_PAUSE_MS)
  }
  return false
}

async function stretchApart(
  database: Database,
  deviceId: DeviceId,
  options: RefoldOptions,
): Promise<StretchOutcome | 'stopped'> {
  const { pace, signal, size = STRETCH_SIZE } = options
  const fromMs = await writeTransaction(database, transaction => beginStretch(transaction, deviceId))
  if (fromMs === undefined) return 'done'
  const stretch = await foldStretch(database, deviceId, fromMs, {
    size,
    rest: workedMs => pace.restAfter(workedMs),
    isStopped: () => signal.aborted,
  })
  return stretch ? write(database, deviceId, options, async () => stretch) : 'stopped'
}

function stretchHeld(database: Database, deviceId: DeviceId, options: RefoldOptions): Promise<StretchOutcome> {
  const { size = STRETCH_SIZE } = options
  return write(database, deviceId, options, async transaction => {
    const fromMs = await beginStretch(transaction, deviceId)
    if (fromMs === undefined) return undefined
    return foldStretch(transaction, deviceId, fromMs, { size, rest: async () => undefined, isStopped: () => false })
  })
}

async function write(
  database: Database,
  deviceId: DeviceId,
  { pace, observeWritten, backlog }: RefoldOptions,
  read: Parameters<typeof writeStretch>[2],
): Promise<StretchOutcome> {
  const startedMs = performance.now()
  const outcome = await writeStretch(database, deviceId, read, backlog)
  const workedMs = performance.now() - startedMs
  observeWritten?.(workedMs / 1000)
  await pace.restAfter(workedMs)
  return outcome
}
