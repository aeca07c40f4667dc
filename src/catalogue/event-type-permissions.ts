import type { EventTypeName } from './event-types.ts'
import { type EventTypeId, requiredEventType } from './event-types.ts'
import type { Permission } from './permissions.ts'

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
