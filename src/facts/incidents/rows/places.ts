import { unnestOf } from '../../../db/bulk-rows.ts'
import { sql } from '../../../db/sql.ts'
import type { LastWork, Transaction } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { ensureAddresses } from '../../addresses/places.ts'

/** The row of an incident. */
export interface IncidentRef {
  readonly id: number
  readonly deviceId: DeviceId
}

interface Place {
  readonly id: number
  readonly device_id: DeviceId
  readonly is_end: boolean
  readonly lon: number
  readonly lat: number
}

/**
 * Last in a transaction, because addresses are locked in one order, those of trips before: gives incidents the addresses of their
 * positions. Their rows were changed in this transaction and have a revision for it.
 */
const PLACES: LastWork<IncidentRef> = {
  async run(transaction, incidents) {
    const rows = incidents.map(({ deviceId, id }) => ({ device_id: deviceId, id }))
    const refs = unnestOf({ device_id: 'bigint', id: 'bigint' }, rows)
    // To plan these takes longer than to run them.
    const places = await transaction.rows<Place>(
      sql`
        select item.id, item.device_id, p.is_end, p.lon, p.lat
        from ${refs} join incidents item on item.device_id = u.device_id and item.id = u.id,
          lateral (values (false, item.start_longitude, item.start_latitude),
            (true, item.end_longitude, item.end_latitude)) as p (is_end, lon, lat)
        where p.lon is not null and p.lat is not null
        group by 1, 2, 3, 4, 5 order by 1, 2, 3`,
      { prepareAs: 'places-of-incidents' },
    )
    const ids = await ensureAddresses(transaction, places)
    const found = places.map((place, index) => ({ ...place, address_id: ids[index] ?? null }))
    await transaction.rows(
      sql`
        update incidents item set start_address_id = found.start_id, end_address_id = found.end_id
        from (
          select u.device_id, u.id, min(p.address_id) filter (where not p.is_end) as start_id,
            min(p.address_id) filter (where p.is_end) as end_id
          from ${refs} left join (
            select * from ${unnestOf({ device_id: 'bigint', id: 'bigint', is_end: 'boolean', address_id: 'bigint?' }, found)}
          ) p on p.device_id = u.device_id and p.id = u.id
          group by u.device_id, u.id
        ) found
        where item.device_id = found.device_id and item.id = found.id
          and (item.start_address_id, item.end_address_id) is distinct from (found.start_id, found.end_id)`,
      { prepareAs: 'addresses-of-incidents' },
    )
  },
}

/** Lets these incidents get their addresses at the end of the transaction. */
export function leavePlaces(transaction: Transaction, incidents: readonly IncidentRef[]): void {
  transaction.leave(PLACES, incidents)
}
