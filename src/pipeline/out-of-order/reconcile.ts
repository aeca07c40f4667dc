import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { clientErrorOf } from '../../db/faults.ts'
import { type Transaction, writeTransaction } from '../../db/transaction.ts'
import { reconcileAssignments } from '../../facts/assignments/rows/reconcile.ts'
import { readDeviceRecords } from '../../facts/device-records/device-records.ts'
import { clearDueWork, readDueDevices, readDueWork } from '../../facts/device-records/fold-states.ts'
import { noteLateFold } from '../../facts/device-records/refolds.ts'
import { rederiveDtcs } from '../../facts/dtcs/rows/rederive.ts'
import { reconcileVehicles, type TouchedTrip } from '../../facts/trips/rows/reconcile-vehicles.ts'
import type { DeviceId } from '../../model/sample.ts'
import { holdDevices } from '../backlog/take-shards.ts'
import { DueDevices } from './due-devices.ts'
import type { Failing } from './failing.ts'
import { refold } from './refold.ts'

/** A burst is over when nothing came for so long; then it costs one fold. */
const QUIET_MS = 1000
/** A dongle that never pauses does not wait longer than this, so that all is settled within seconds. */
const LONGEST_WAIT_MS = 2500
const DEVICES_AT_ONCE = 200

export interface ReconcileOptions {
  readonly database: Database
  readonly failing: Failing
  readonly log: Logger
  /** Told of each device that was settled, for metrics. */
  readonly observe?: (seconds: number) => void
  /** Shared by all of this process who settle at once. */
  readonly due?: DueDevices
}

/** The devices whose late samples are waiting. */
export function lateDevices({ database, failing }: Pick<ReconcileOptions, 'database' | 'failing'>): DueDevices {
  return new DueDevices(atWork =>
    readDueDevices(database, {
      quietMs: QUIET_MS,
      longestWaitMs: LONGEST_WAIT_MS,
      except: [...failing.resting(), ...atWork],
      leaseOwner: database.backlog.leaseOwner,
      most: DEVICES_AT_ONCE,
    }),
  )
}

/**
 * Folds again the devices whose late samples are waiting, each in a transaction of its own, and brings their
 * assignments up to date. Any number of nodes may do so at once.
 * @returns how many devices were settled.
 */
export async function reconcileLate(options: ReconcileOptions): Promise<number> {
  const { database, failing, log, observe, due = lateDevices(options) } = options
  let settled = 0
  for (let device = await due.take(); device; device = await due.take()) {
    const { deviceId } = device
    try {
      const started = performance.now()
      if (await reconcileDevice(database, deviceId)) {
        settled++
        observe?.((performance.now() - started) / 1000)
      }
      failing.succeeded(deviceId)
    } catch (error) {
      failing.failed(deviceId, clientErrorOf(error) !== undefined)
      log.error({ err: error, deviceId }, 'late samples of a device could not be folded; it will be tried again')
    } finally {
      due.done(device)
    }
  }
  return settled
}

/** @returns false when another node was faster. */
export function reconcileDevice(database: Database, deviceId: DeviceId): Promise<boolean> {
  return writeTransaction(database, async transaction => {
    const derived = await holdDevices(transaction, [deviceId])
    const settled = await reconcileHeld(transaction, deviceId)
    await reconcileVehicles(transaction, [...derived, ...(settled ?? [])])
    return settled !== undefined
  })
}

/**
 * The same within a transaction that holds the device (see `holdDevices`).
 * @returns what is for `reconcileVehicles`, last in the transaction; undefined when nothing was due.
 */
export async function reconcileHeld(
  transaction: Transaction,
  deviceId: DeviceId,
): Promise<readonly TouchedTrip[] | undefined> {
  const work = await readDueWork(transaction, deviceId)
  if (!work) return undefined
  const result = work.late && (await refold(transaction, deviceId, work.late))
  if (work.late) await noteLateFold(transaction, deviceId, work.late.fromMs)
  if (work.isFirst) await deriveDtcs(transaction, deviceId)
  if (work.assignmentsDue || result?.areVinRunsChanged) await reconcileAssignments(transaction, deviceId)
  await clearDueWork(transaction, deviceId)
  return result?.touched ?? []
}

async function deriveDtcs(transaction: Transaction, deviceId: DeviceId): Promise<void> {
  const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
  if (record) await rederiveDtcs(transaction, deviceId, record.assignments)
}
