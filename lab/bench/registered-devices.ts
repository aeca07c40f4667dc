import type { Database } from '../../src/db/database.ts'
import { lockDevices } from '../../src/db/shards/locked-devices.ts'
import { sql } from '../../src/db/sql.ts'
import { writeTransaction } from '../../src/db/transaction.ts'
import { DERIVATION_VERSION } from '../../src/derive/derivation-version.ts'
import { registerDevices } from '../../src/fleet/devices.ts'
import type { DeviceId } from '../../src/model/sample.ts'
import type { TimeRange } from '../../src/model/time-range.ts'

/** Devices of which nothing is known but that they are there, and from when to when they have samples. */
interface RegisteredDevices extends TimeRange {
  readonly accountId: number
  readonly firstDeviceId: number
  readonly count: number
}

/** Registers devices with consecutive ids. */
export function registerWithReach(
  database: Database,
  { accountId, firstDeviceId, count, fromMs, toMs }: RegisteredDevices,
): Promise<unknown> {
  const deviceIds = Array.from({ length: count }, (_, index) => (firstDeviceId + index) as DeviceId)
  return writeTransaction(database, async transaction => {
    await registerDevices(
      await lockDevices(transaction, deviceIds),
      deviceIds.map(deviceId => ({ deviceId, accountId })),
    )
    await transaction.rows(sql`
      insert into device_states (device_id, first_time, last_time, last_received, folded_by)
      select device_id, epoch_ms(${fromMs}), epoch_ms(${toMs}), clock_timestamp(), ${DERIVATION_VERSION}::smallint
      from unnest(${deviceIds}::bigint[]) as u (device_id)`)
  })
}
