import type { Connection, Database } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { dayText, rangeOfDay } from '../sealed/days.ts'
import { UnpackedBody } from '../sealed/unpacked-body.ts'
import { rollupOfDay } from './rollup-of-day.ts'
import { writeRollup } from './write-rollup.ts'

/** The first sealed day of a device without a rollup, from an instant on: sealed by a version that made none. */
export async function nextDayWithoutRollup(
  database: Database,
  deviceId: DeviceId,
  fromMs: number,
): Promise<TimeRange | undefined> {
  const [row] = await database.rows<{ day: string | null }>(sql`
    select min(day)::text as day from sealed_days
    where device_id = ${deviceId} and rollup is null and day >= ${dayText(fromMs)}::date`)
  return row?.day == null ? undefined : rangeOfDay(row.day)
}

/** Adds the rollup of a sealed day, unless the day was sealed again or erased in the meantime. */
export async function fillRollup(database: Database, deviceId: DeviceId, day: TimeRange): Promise<void> {
  const date = dayText(day.fromMs)
  const [sealed] = await database.rows<{ version: number; body: Buffer }>(
    sql`select version, body from sealed_days where device_id = ${deviceId} and day = ${date}::date and rollup is null`,
  )
  if (!sealed) return
  const rollup = rollupOfDay(new UnpackedBody(sealed.body))
  await writeTransaction(database, transaction =>
    writeRollup(transaction, { deviceId, date, version: sealed.version }, rollup),
  )
}

/** The devices with sealed days without a rollup. */
export async function devicesWithoutRollups(
  connection: Connection,
  shard: { readonly shard: number; readonly of: number },
): Promise<DeviceId[]> {
  const rows = await connection.rows<{ device_id: DeviceId }>(sql`
    select distinct device_id from sealed_days where rollup is null and device_id % ${shard.of} = ${shard.shard}`)
  return rows.map(row => row.device_id)
}
