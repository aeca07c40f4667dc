import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { clientErrorOf } from '../../db/faults.ts'
import type { LockedDevice } from '../../db/shards/locked-devices.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DeviceId } from '../../model/sample.ts'
import { holdKeptSince, type SampleSource } from '../../store/index.ts'
import { reconcileAssignments } from '../assignments/rows/reconcile.ts'
import type { Backlog } from '../backlog/backlog.ts'
import { lockUpToDateDevice } from '../backlog/take-shards.ts'
import { readDeviceRecords } from '../device-records/device-records.ts'
import {
  clearDueWork,
  type OutOfOrderBasis,
  readDueDevices,
  readDueWork,
  readOutOfOrderBasis,
} from '../device-records/fold-states.ts'
import { noteOutOfOrderFold } from '../device-records/refolds.ts'
import { rederiveDtcs } from '../dtcs/rows/rederive.ts'
import { DueDevices } from './due-devices.ts'
import type { Failing } from './failing.ts'
import { foldAgain, StretchTooLong } from './fold-again.ts'
import type { FoldedAgain } from './folding.ts'
import { type RefoldResult, writeFoldedAgain } from './refold.ts'

/** A burst is over after this long without samples; then it costs one fold. */
const QUIET_MS = 1000
/** A dongle that never pauses does not wait longer than this, so that everything is reconciled within seconds. */
const LONGEST_WAIT_MS = 2500
const DEVICES_AT_ONCE = 200
/** Folding this many takes some 50 ms. */
const MOST_HELD_SAMPLES = 4000
/** A dongle that reports all the time changes before many samples are folded. */
const ATTEMPTS_APART = 2

interface ReconcileOptions {
  readonly database: Database
  /** See `lockDevices`. */
  readonly backlog?: Backlog
  readonly failing: Failing
  readonly log: Logger
  /** Called for each device that was reconciled, for metrics. */
  readonly observe?: (seconds: number) => void
  /** Shared by all jobs of this process that reconcile at once. */
  readonly due?: DueDevices
}

/** The devices whose out-of-order samples are waiting. */
export function outOfOrderDevices({
  database,
  backlog,
  failing,
  clock,
}: Pick<ReconcileOptions, 'database' | 'backlog' | 'failing'> & { readonly clock?: Clock }): DueDevices {
  const read = (atWork: readonly DeviceId[]) =>
    readDueDevices(database, {
      quietMs: QUIET_MS,
      longestWaitMs: LONGEST_WAIT_MS,
      except: [...failing.resting(), ...atWork],
      leaseOwner: backlog?.leaseOwner,
      most: DEVICES_AT_ONCE,
    })
  return new DueDevices(read, clock)
}

/**
 * Folds again the devices whose out-of-order samples are waiting, each in a transaction of its own, and brings their
 * assignments up to date. Any number of nodes may do so at once.
 * @returns how many devices were reconciled.
 */
export async function reconcileOutOfOrder(options: ReconcileOptions): Promise<number> {
  const { database, backlog, failing, log, observe, due = outOfOrderDevices(options) } = options
  let reconciled = 0
  for (let device = await due.take(); device; device = await due.take()) {
    const { deviceId } = device
    try {
      const started = performance.now()
      if (await reconcileDevice(database, deviceId, backlog)) {
        reconciled++
        observe?.((performance.now() - started) / 1000)
      }
      failing.succeeded(deviceId)
    } catch (error) {
      failing.failed(deviceId, clientErrorOf(error) !== undefined)
      log.error(
        { err: error, deviceId },
        'out-of-order samples of a device could not be folded; it will be tried again',
      )
    } finally {
      due.done(device)
    }
  }
  return reconciled
}

/**
 * Few samples are folded while the device is locked. Many are folded before, and only the result is written while it is locked,
 * so that other devices of its shard do not wait for the folding, which takes seconds for a hundred thousand.
 * @returns false when another node was faster.
 */
export async function reconcileDevice(database: Database, deviceId: DeviceId, backlog?: Backlog): Promise<boolean> {
  // Read while the device was locked: all samples that it tells of can be read by then, on Citus, too.
  let newest: OutOfOrderBasis | undefined
  const reconcileWith = (fold: FoldOutOfOrder) =>
    writeTransaction(database, async transaction =>
      reconcileHeld(await lockUpToDateDevice(transaction, deviceId, backlog), (source, basis) => {
        newest = basis
        return fold(source, basis)
      }),
    )
  try {
    return await reconcileWith((source, basis) => foldAgain(source, deviceId, basis, MOST_HELD_SAMPLES))
  } catch (error) {
    if (!(error instanceof StretchTooLong)) throw error
  }
  const overtaken = new Error('something changed while it was folded')
  for (let attempt = 0; attempt < ATTEMPTS_APART; attempt++) {
    const before = newest
    const again = before && (await foldAgain(database, deviceId, before))
    try {
      return await reconcileWith(async (_source, basis) => {
        if (basis.mark !== before?.mark) throw overtaken
        return again
      })
    } catch (error) {
      if (error !== overtaken) throw error
    }
  }
  return reconcileWith((source, basis) => foldAgain(source, deviceId, basis))
}

type FoldOutOfOrder = (source: SampleSource, basis: OutOfOrderBasis) => Promise<FoldedAgain | undefined>

/**
 * The same for a device that is locked already (see `lockDevices`).
 * @param fold runs while retention is locked
 * @returns false when nothing was due.
 */
export async function reconcileHeld(
  locked: LockedDevice,
  fold: FoldOutOfOrder = (source, basis) => foldAgain(source, locked.deviceId, basis),
): Promise<boolean> {
  const work = await readDueWork(locked)
  if (!work) return false
  const result = work.outOfOrder && (await writeOutOfOrder(locked, fold))
  if (work.outOfOrder) await noteOutOfOrderFold(locked, work.outOfOrder.fromMs)
  if (work.isFirst) await deriveDtcs(locked)
  if (work.assignmentsDue || result?.areVinRunsChanged) await reconcileAssignments(locked)
  await clearDueWork(locked)
  return true
}

async function writeOutOfOrder(locked: LockedDevice, fold: FoldOutOfOrder): Promise<RefoldResult | undefined> {
  const { transaction, deviceId } = locked
  await holdKeptSince(transaction)
  const basis = await readOutOfOrderBasis(locked)
  const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
  const again = basis && (await fold(transaction, basis))
  return record && again && writeFoldedAgain(locked, record, again)
}

async function deriveDtcs(locked: LockedDevice): Promise<void> {
  const record = (await readDeviceRecords(locked.transaction, locked.deviceIds)).get(locked.deviceId)
  if (record) await rederiveDtcs(locked, record.assignments)
}
