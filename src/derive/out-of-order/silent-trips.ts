import { readClockMs } from '../../db/clock.ts'
import type { Database } from '../../db/database.ts'
import { clientErrorOf } from '../../db/faults.ts'
import type { LockedDevices } from '../../db/shards/locked-devices.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { Backlog } from '../backlog/backlog.ts'
import { lockUpToDate } from '../backlog/take-shards.ts'
import { readDeviceRecords } from '../device-records/device-records.ts'
import { writeFoldStates } from '../device-records/fold-states.ts'
import { foldDevice } from '../fold-device.ts'
import { isSilentAt, readSilentDevices } from '../trips/rows/silence.ts'
import { writeFolds } from '../trips/rows/write-folds.ts'

/** While a dongle uploads old samples, its newest sample is old although the trip continues. */
const BACKLOG_PAUSE_MS = 2000
const DEVICES_AT_ONCE = 200

/**
 * Ends trips whose dongle fell silent while driving, at their last sample. The fold is left unchanged, so a trip
 * continues when later samples show it. After the clock was set back, the time of the last upload may be in the future.
 * @returns how many trips ended.
 * @throws when there were devices whose trips could not be ended, after those of all others.
 */
export async function endSilentTrips(database: Database, backlog?: Backlog): Promise<number> {
  let ended = 0
  const failures: unknown[] = []
  for (let after = 0; ; ) {
    const silent = await readSilentDevices(database, {
      after,
      pauseMs: BACKLOG_PAUSE_MS,
      leaseOwner: backlog?.leaseOwner,
      most: DEVICES_AT_ONCE,
    })
    const last = silent.at(-1)
    if (!last) break
    // Some have newer samples in the backlog.
    const quiet = silent.filter(deviceId => !backlog?.isDeviceWaiting(deviceId))
    const failed = await endTripsApart(database, quiet, backlog)
    failures.push(...failed)
    ended += quiet.length - failed.length
    after = last
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} silent trips could not be ended`)
  return ended
}

/** One device that fails must not keep the trips of others open. @returns the error of each such device. */
async function endTripsApart(
  database: Database,
  deviceIds: readonly DeviceId[],
  backlog: Backlog | undefined,
): Promise<unknown[]> {
  if (deviceIds.length === 0) return []
  try {
    await endTripsOf(database, deviceIds, backlog)
    return []
  } catch (error) {
    if (clientErrorOf(error)) throw error
    if (deviceIds.length === 1) return [error]
  }
  const failures: unknown[] = []
  for (const deviceId of deviceIds) failures.push(...(await endTripsApart(database, [deviceId], backlog)))
  return failures
}

function endTripsOf(database: Database, deviceIds: readonly DeviceId[], backlog: Backlog | undefined): Promise<void> {
  return writeTransaction(database, async transaction => {
    await endTripsIfSilent(await lockUpToDate(transaction, deviceIds, backlog))
  })
}

/** The same for some devices. */
export async function endTripsIfSilent(locked: LockedDevices): Promise<void> {
  const { transaction, deviceIds } = locked
  const records = await readDeviceRecords(transaction, deviceIds)
  const nowMs = await readClockMs(transaction)
  // A trip that has continued in the meantime stays open.
  const folds = [...records.values()].flatMap(record => {
    const folded = record.fold && foldDevice(record.fold, [], { movesMs: [], rules: record.rules })
    return folded?.trips.every(trip => isSilentAt(trip, nowMs)) ? [{ record, folded, isSilent: true }] : []
  })
  await writeFoldStates(locked, await writeFolds(locked, folds))
}
