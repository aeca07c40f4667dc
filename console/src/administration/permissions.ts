import type { Permission } from '../api/types.ts'

/** In the order in which they are offered; a missing or an unknown one does not compile. */
const ORDER: Readonly<Record<Permission, number>> = {
  vehicles: 1,
  positions: 2,
  trips: 3,
  events: 4,
  dtcs: 5,
  aggregations: 6,
  devices: 7,
  areas: 8,
  settings: 9,
  ingest: 10,
  administration: 11,
}

export const PERMISSIONS = (Object.keys(ORDER) as Permission[]).sort((left, right) => ORDER[left] - ORDER[right])
