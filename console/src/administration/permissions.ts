import type { Permission } from '../api/types.ts'

/** In the order in which they are offered; a missing or an unknown one does not compile. */
const ORDER: Readonly<Record<Permission, number>> = {
  vehicles: 1,
  positions: 2,
  trips: 3,
  events: 4,
  dtcs: 5,
  incidents: 6,
  aggregations: 7,
  devices: 8,
  areas: 9,
  rules: 10,
  settings: 11,
  ingest: 12,
  administration: 13,
}

export const PERMISSIONS = (Object.keys(ORDER) as Permission[]).sort((left, right) => ORDER[left] - ORDER[right])
