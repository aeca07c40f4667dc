import type { Database } from '../../db/database.ts'
import type { LockedDevice } from '../../db/shards/locked-devices.ts'
import { sql } from '../../db/sql.ts'
import { type Transaction, writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import { findWrongRollups, writeRollup } from '../../store/index.ts'
import { reconcileAssignments } from '../assignments/rows/reconcile.ts'
import { lockUpToDateDevice } from '../backlog/take-shards.ts'
import type { DerivedRow } from '../derived-rows.ts'
import { readDeviceRecords } from '../device-records/device-records.ts'
import { readDueWork } from '../device-records/fold-states.ts'
import { readRefoldFrom, writeFoldedByNow } from '../device-records/refolds.ts'
import { FACTS } from '../facts.ts'
import { writeSilence } from '../incidents/silence.ts'
import { touchVehicles } from '../trips/rows/reconcile-vehicles.ts'
import { type Difference, differencesOf } from './rebuild-difference.ts'
import { reconcileDevice } from './reconcile.ts'
import { refold } from './refold.ts'
import { endTripsIfSilent } from './silent-trips.ts'

const EVERYTHING = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

interface RebuildOptions {
  /** Only reports differences. */
  readonly isCheck: boolean
}

/**
 * Derives everything from the samples of a device again, in one transaction that holds its shard, and
 * corrects differences. Pending work is done first, and is no difference.
 * @returns the differences; when there are none, nothing has been written except that the history follows the current
 *   rules.
 */
export async function rebuildDevice(
  database: Database,
  deviceId: DeviceId,
  options: RebuildOptions,
): Promise<readonly Difference[]> {
  for (;;) {
    await reconcileDevice(database, deviceId)
    const differences = await writeTransaction(database, async transaction =>
      rebuildHeld(await lockUpToDateDevice(transaction, deviceId), options),
    )
    if (differences) return differences
  }
}

/** @returns undefined when something came out of order since the device was reconciled. */
async function rebuildHeld(
  locked: LockedDevice,
  { isCheck }: RebuildOptions,
): Promise<readonly Difference[] | undefined> {
  const { transaction, deviceId } = locked
  await transaction.doWhatIsLeft()
  if (await readDueWork(locked)) return undefined
  await transaction.rows(sql`savepoint before_rebuild`)
  // Deriving again also ends a trip whose dongle fell silent: that is no difference.
  if (await hasOpenTrip(transaction, deviceId)) await endTripsIfSilent(locked)
  await writeSilence(locked)
  await foldByChangedRules(locked)
  await transaction.doWhatIsLeft()
  const before = await readDerivedRows(transaction, deviceId)
  await workOutAnew(locked)
  await transaction.doWhatIsLeft()
  const differences = differencesOf(before, await readDerivedRows(transaction, deviceId))
  if (isCheck || differences.length === 0) await transaction.rows(sql`rollback to savepoint before_rebuild`)
  if (!isCheck) await writeFoldedByNow(locked)
  return [...differences, ...(await checkRollups(locked, isCheck))]
}

/** Rollups follow from sealed samples, and from nothing else. */
async function checkRollups({ transaction, deviceId }: LockedDevice, isCheck: boolean): Promise<Difference[]> {
  const differences: Difference[] = []
  for await (const wrong of findWrongRollups(transaction, deviceId)) {
    differences.push({ name: `rollup of ${wrong.day}`, kind: 'changed', fields: wrong.differences })
    if (!isCheck) await writeRollup(transaction, { deviceId, date: wrong.day, version: wrong.version }, wrong.right)
  }
  return differences
}

async function hasOpenTrip(transaction: Transaction, deviceId: DeviceId): Promise<boolean> {
  const rows = await transaction.rows(sql`select from trips where device_id = ${deviceId} and is_open`)
  return rows.length > 0
}

async function workOutAnew(locked: LockedDevice): Promise<void> {
  const { transaction, deviceId } = locked
  await refold(locked, EVERYTHING)
  await reconcileAssignments(locked)
  await foldByChangedRules(locked)
  const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
  if (!record) return
  for (const { rebuild } of FACTS) await rebuild?.(locked, record.assignments)
  touchVehicles(transaction, [...new Set(record.assignments.map(({ vehicleId }) => vehicleId))])
}

/** What follows from rules that changed, or from those of another car, is worked out in the background otherwise. */
async function foldByChangedRules(locked: LockedDevice): Promise<void> {
  const fromMs = await readRefoldFrom(locked.transaction, locked.deviceId)
  if (fromMs === undefined) return
  await refold(locked, { fromMs, toMs: Number.POSITIVE_INFINITY })
  await writeFoldedByNow(locked)
}

async function readDerivedRows(transaction: Transaction, deviceId: DeviceId): Promise<DerivedRow[]> {
  const rows: DerivedRow[] = []
  for (const { readDerived } of FACTS) rows.push(...((await readDerived?.(transaction, deviceId)) ?? []))
  return rows
}
