import type { Database } from '../../db/database.ts'
import { clientErrorOf } from '../../db/faults.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { endIncidentsIfSilent, readDevicesWithSilentIncidents } from '../../facts/incidents/rows/silence.ts'
import type { Backlog } from '../backlog/backlog.ts'
import { holdDevice } from '../backlog/take-shards.ts'

/** While a dongle uploads old samples, its newest sample is old although what it tells of goes on. */
const BACKLOG_PAUSE_MS = 2000
const DEVICES_AT_ONCE = 200

/**
 * Ends incidents that go on at dongles that fell silent, at their last sample.
 * @returns how many ended.
 * @throws when there were devices whose incidents could not be ended, after those of all others.
 */
export async function endSilentIncidents(database: Database, backlog?: Backlog): Promise<number> {
  let ended = 0
  const failures: unknown[] = []
  for (let after = 0; ; ) {
    const silent = await readDevicesWithSilentIncidents(database, {
      after,
      pauseMs: BACKLOG_PAUSE_MS,
      leaseOwner: backlog?.leaseOwner,
      most: DEVICES_AT_ONCE,
    })
    const last = silent.at(-1)
    if (last === undefined) break
    for (const deviceId of silent) {
      // Some have newer samples in the backlog.
      if (backlog?.isDeviceWaiting(deviceId)) continue
      try {
        ended += await writeTransaction(database, async transaction =>
          endIncidentsIfSilent(await holdDevice(transaction, deviceId, backlog)),
        )
      } catch (error) {
        if (clientErrorOf(error)) throw error
        failures.push(error)
      }
    }
    after = last
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `the silent incidents of ${failures.length} devices could not be ended`)
  return ended
}
