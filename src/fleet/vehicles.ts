import { type Connection, type Statement, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'

/** The internal id of a public id, or a former one (decisions.md, *Vehicles and devices*); undefined without any. */
export async function vehicleIdOf(
  connection: Connection,
  accountId: number,
  publicId: string,
): Promise<number | undefined> {
  const [row] = await connection.rows<{ id: number }>(sql`select ${vehicleIdStatement(accountId, publicId)} as id`, {
    prepareAs: 'vehicle-id-of',
  })
  return row?.id ?? undefined
}

/** The same as a value within a statement: null when the account has no such vehicle. */
export function vehicleIdStatement(accountId: number, publicId: string): Statement {
  return sql`coalesce(
    (select id from vehicles where account_id = ${accountId} and public_id = ${publicId}),
    (select vehicle_id from former_vehicle_ids where account_id = ${accountId} and public_id = ${publicId}))`
}

export interface FoundVehicle {
  readonly id: number
  readonly publicId: string
}

/** The vehicle with that id, also a former one, or that VIN; else those with that number plate. */
export async function findVehicles(transaction: Transaction, accountId: number, name: string): Promise<FoundVehicle[]> {
  const id =
    (await vehicleIdOf(transaction, accountId, name)) ?? (await vehicleIdOf(transaction, accountId, `VIN${name}`))
  return transaction.rows<FoundVehicle>(sql`
    select id, public_id as "publicId" from vehicles
    where account_id = ${accountId}
      and (id = ${id ?? null}::bigint or ${id === undefined} and ${plate(sql`license_plate`)} = ${plate(sql`${name}::text`)})
    order by id`)
}

/** Plates are compared without spaces, hyphens and case. */
function plate(text: ReturnType<typeof sql>) {
  return sql`upper(regexp_replace(${text}, '[\\s-]', '', 'g'))`
}

/** The dongle that a vehicle shows, within a statement: the one with the newest data since it came, else the one that
 * came last (decisions.md, *Vehicles and devices*). Null when none is in it. */
export function currentDeviceOf(vehicleId: Statement): Statement {
  return sql`(
    select a.device_id from assignments a left join device_states s on s.device_id = a.device_id
    where a.vehicle_id = ${vehicleId} and a.to_time = 'infinity'
    order by case when s.last_time >= a.from_time then s.last_time end desc nulls last, a.from_time desc, a.device_id
    limit 1)`
}
