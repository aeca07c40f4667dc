import { type EventTypeId, type EventTypeName, requiredEventType } from './event-types.ts'

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

/** The word names a permission; a database written by a newer version may hold others. */
export function isPermission(word: string): word is Permission {
  return Object.hasOwn(PERMISSIONS, word)
}

/** Event types that also require this permission (decisions.md, *Replies*, 403). */
const NEEDED: readonly (readonly [Permission, readonly EventTypeName[]])[] = [
  // Cells, course and altitude reveal a place nearly as well as the position itself.
  ['positions', ['POSITION', 'NETWORK_CELL_INFO', 'GPS_COURSE', 'GPS_ALTITUDE']],
  // They identify the SIM card, and so its contract.
  ['administration', ['IMSI', 'ICCID']],
]

/** Event types that a caller may not see, wherever events are read. */
export type HiddenEventTypes = ReadonlySet<EventTypeId>

const known = new Map<string, HiddenEventTypes>()

/** The hidden event types for these permissions: always the same set object for the same permissions. */
export function hiddenEventTypes(permissions: ReadonlySet<Permission>): HiddenEventTypes {
  const missing = NEEDED.filter(([permission]) => !permissions.has(permission))
  const name = missing.map(([permission]) => permission).join()
  const hidden =
    known.get(name) ?? new Set(missing.flatMap(([, names]) => names.map(type => requiredEventType(type).id)))
  known.set(name, hidden)
  return hidden
}
