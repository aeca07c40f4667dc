import type { Connection } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Position } from '../../model/sample.ts'
import type { AddressTexts } from './texts.ts'

/** A place that waits for its texts. */
interface WaitingAddress extends Position {
  readonly id: number
  /** What a geocoder answered for a place in the same cell, ten metres wide. */
  readonly cellTexts: AddressTexts | null
}

/** Whether a place waits for its texts. */
export const ADDRESSES_WAIT = sql`exists (select from addresses where found is null)`

/** The places that wait longest. */
export function readWaitingAddresses(connection: Connection, count: number): Promise<WaitingAddress[]> {
  return connection.rows<WaitingAddress>(
    sql`
      select a.id, a.lat, a.lon, ${CELL_TEXTS} as "cellTexts"
      from addresses a where a.found is null order by a.id limit ${count}`,
    { prepareAs: 'read-waiting-addresses' },
  )
}

/** The answer that the cell of `a` has already. */
export const CELL_TEXTS = sql`(
  select c.texts from addresses c
  where c.cell_lat = a.cell_lat and c.cell_lon = a.cell_lon and c.geocoded is not null
  order by c.id limit 1)`

/** The ids of all places in the cell of this one that no geocoder's answer reached yet; it is one of them. */
export async function readUnansweredCell(connection: Connection, addressId: number): Promise<number[]> {
  const rows = await connection.rows<{ id: number }>(sql`
    select c.id from addresses a join addresses c on c.cell_lat = a.cell_lat and c.cell_lon = a.cell_lon
    where a.id = ${addressId} and c.geocoded is null order by c.id`)
  return rows.map(row => row.id)
}
