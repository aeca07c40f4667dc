import { type Statement, sql } from '../db/sql.ts'
import type { DeviceId } from '../model/sample.ts'

/** Something that was derived: a trip, a code, a day. Its name is what tells it from others of its device. */
export interface DerivedRow {
  readonly name: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The name of the vehicle `v`: two accounts that a device belonged to may know the same car. */
export function vehicleName(deviceId: DeviceId): Statement {
  return sql`v.public_id || case when v.account_id = (
    select account_id from assignments where device_id = ${deviceId} and to_time = 'infinity'
  ) then '' else ' of account ' || v.account_id end`
}
