import type { Connection } from '../db/database.ts'
import { type Statement, sql } from '../db/sql.ts'

/**
 * The internal id of the vehicle that an account knows under a public id, or knew before its VIN was known
 * (decisions.md, *Vehicles and devices*, vehicle id). A vehicle that has the id now goes before one that had it.
 * @returns undefined when the account has no such vehicle.
 */
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
