import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { vehicleIdOf } from '../vehicle-ids.ts'

/** A vehicle as an operator names it. */
export interface FoundVehicle {
  readonly id: number
  readonly publicId: string
}

/**
 * The vehicles of an account that an operator may mean: the one with that id, also a former one, or that VIN; else those
 * with that number plate.
 */
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
