/** Permissions of keys and users (decisions.md, *Replies*, 403). */
export const PERMISSIONS = {
  devices: 'dongles and whether they are online',
  vehicles: 'cars and the latest value of each of their measurements',
  positions: 'where a car is or was: positions, cells, course, altitude, routes and addresses',
  trips: 'journeys, their length and duration',
  events: 'measurements over time',
  dtcs: 'diagnostic trouble codes',
  aggregations: 'statistics of cars and fleet',
  areas: 'areas on the map, such as depots: seeing, drawing and deleting them',
  rules: 'what the fleet is watched for: rules, and what they would have found',
  incidents: 'what rules found: speeding, visits, thefts and the like, and acknowledging it',
  settings: 'changing the VIN, number plate and other settings of a car',
  ingest: 'sending measurements',
  administration: 'managing users, keys and dongles; IMSI and ICCID of their SIM cards',
} as const

export type Permission = keyof typeof PERMISSIONS

export const ALL_PERMISSIONS = Object.keys(PERMISSIONS) as readonly Permission[]

/** Everything a client of the contract needs; sending measurements and administration must be granted explicitly. */
export const CLIENT_PERMISSIONS: readonly Permission[] = ALL_PERMISSIONS.filter(
  permission => permission !== 'ingest' && permission !== 'administration',
)

/** Whether `word` names a permission; a database written by a newer version may hold others. */
export function isPermission(word: string): word is Permission {
  return Object.hasOwn(PERMISSIONS, word)
}
