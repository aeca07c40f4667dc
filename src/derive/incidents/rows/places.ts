import type { Transaction } from '../../../db/transaction.ts'
import type { Position } from '../../../model/sample.ts'
import { ensureAddresses } from '../../addresses/places.ts'
import type { IncidentValues } from './stored-incidents.ts'

/** The columns of the addresses of an incident, with their types. */
export const ADDRESS_COLUMNS = { start_address_id: 'bigint?', end_address_id: 'bigint?' } as const

type Places = Pick<IncidentValues, 'startLongitude' | 'startLatitude' | 'endLongitude' | 'endLatitude'>
export type AddressRow = Readonly<Record<keyof typeof ADDRESS_COLUMNS, number | null>>

/**
 * The addresses of the positions of incidents. Before the rows are written: to write them again with their addresses takes PostgreSQL as long
 * as to write them, in each of their indexes. Those of trips come before, in the order of the facts.
 */
export async function addressesOf<Incident extends Places>(
  transaction: Transaction,
  incidents: readonly Incident[],
): Promise<ReadonlyMap<Incident, AddressRow>> {
  const positions: Position[] = []
  const add = (lon: number | null, lat: number | null) =>
    lon === null || lat === null ? undefined : positions.push({ lon, lat }) - 1
  const places = incidents.map(incident => ({
    incident,
    start: add(incident.startLongitude, incident.startLatitude),
    end: add(incident.endLongitude, incident.endLatitude),
  }))
  const ids = await ensureAddresses(transaction, positions)
  const idAt = (index: number | undefined) => (index === undefined ? null : (ids[index] ?? null))
  return new Map(
    places.map(({ incident, start, end }) => [incident, { start_address_id: idAt(start), end_address_id: idAt(end) }]),
  )
}
