import { sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Position } from '../../model/sample.ts'

/** About a metre: what a dongle measures is not finer, and one parking lot does not fill the table. */
const DIGITS_FACTOR = 1e5

/**
 * The rows of `addresses` for these positions, rounded to five digits; the missing ones are added and wait for their
 * texts. Call it once in a transaction: it adds in a fixed order, so that two transactions that add the same places
 * wait for one another in one direction only.
 * @returns ids, in the order of the positions
 */
export async function ensureAddresses(transaction: Transaction, positions: readonly Position[]): Promise<number[]> {
  if (positions.length === 0) return []
  const places = positions.map(({ lat, lon }) => ({ lat: rounded(lat), lon: rounded(lon) }))
  const lats = places.map(place => place.lat)
  const lons = places.map(place => place.lon)
  const known = await readIds(transaction, lats, lons)
  if (places.some(place => !known.has(keyOf(place)))) {
    // In the order of the index; what another transaction adds meanwhile is found by the second look.
    await transaction.rows(
      sql`
        insert into addresses (lat, lon)
        select distinct lat, lon from unnest(${lats}::float8[], ${lons}::float8[]) as u (lat, lon)
        order by lat, lon on conflict (lat, lon) do nothing`,
      { prepareAs: 'add-addresses' },
    )
    for (const [key, id] of await readIds(transaction, lats, lons)) known.set(key, id)
  }
  return places.map(place => {
    const id = known.get(keyOf(place))
    if (id === undefined) throw new Error(`no address at ${keyOf(place)} after adding it`)
    return id
  })
}

async function readIds(
  transaction: Transaction,
  lats: readonly number[],
  lons: readonly number[],
): Promise<Map<string, number>> {
  const rows = await transaction.rows<Position & { id: number }>(
    sql`
      select a.id, a.lat, a.lon from addresses a
      where (a.lat, a.lon) in (select * from unnest(${lats}::float8[], ${lons}::float8[]))`,
    { prepareAs: 'find-addresses' },
  )
  return new Map(rows.map(row => [keyOf(row), row.id]))
}

function rounded(degrees: number): number {
  return Math.round(degrees * DIGITS_FACTOR) / DIGITS_FACTOR
}

function keyOf({ lat, lon }: Position): string {
  return `${lat} ${lon}`
}
