import type { Database } from '../../db/database.ts'
import { clientErrorOf } from '../../db/faults.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { Backlog } from '../backlog/backlog.ts'
import { lockUpToDateDevice } from '../backlog/take-shards.ts'
import { readSilentDevices, writeSilence } from '../incidents/silence.ts'

/** While a dongle uploads old samples, its newest sample is old although what it tells of goes on. */
const BACKLOG_PAUSE_MS = 2000
const DEVICES_AT_ONCE = 200

/** The silences of devices that were worked out: they need not be again. */
export type KnownSilence = Map<DeviceId, string>

/**
 * Ends incidents that go on at dongles that fell silent, at their last sample, and tells of silence where rules ask for it.
 * @param known what earlier calls worked out; changed in place
 * @returns how many devices were worked out
 * @throws when there were devices for which it failed, after all others.
 */
export async function tellSilence(
  database: Database,
  known: KnownSilence,
  { backlog, pauseMs = BACKLOG_PAUSE_MS }: { readonly backlog?: Backlog; readonly pauseMs?: number } = {},
): Promise<number> {
  let done = 0
  const failures: unknown[] = []
  const silentNow = new Set<DeviceId>()
  for (let after = 0; ; ) {
    const silent = await readSilentDevices(database, {
      after,
      pauseMs,
      leaseOwner: backlog?.leaseOwner,
      most: DEVICES_AT_ONCE,
    })
    const last = silent.at(-1)
    if (!last) break
    for (const { deviceId, silence } of silent) {
      silentNow.add(deviceId)
      // Some have newer samples in the backlog.
      if (known.get(deviceId) === silence || backlog?.isDeviceWaiting(deviceId)) continue
      try {
        await writeTransaction(database, async transaction =>
          writeSilence(await lockUpToDateDevice(transaction, deviceId, backlog)),
        )
        known.set(deviceId, silence)
        done++
      } catch (error) {
        if (clientErrorOf(error)) throw error
        failures.push(error)
      }
    }
    after = last.deviceId
  }
  for (const deviceId of known.keys()) if (!silentNow.has(deviceId)) known.delete(deviceId)
  if (failures.length > 0)
    throw new AggregateError(failures, `the silence of ${failures.length} devices could not be worked out`)
  return done
}
