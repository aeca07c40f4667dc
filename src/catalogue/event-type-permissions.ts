import type { EventTypeName } from './event-types.ts'
import { type EventTypeId, requiredEventType } from './event-types.ts'
import type { Permission } from './permissions.ts'

/** Event types that only those are shown who have this permission, too (decisions.md, *Replies*, 403). */
const NEEDED: readonly (readonly [Permission, readonly EventTypeName[]])[] = [
  // Cells, course and altitude lead to a place nearly as well as the position itself.
  ['positions', ['POSITION', 'NETWORK_CELL_INFO', 'GPS_COURSE', 'GPS_ALTITUDE']],
  // They name the SIM card, and so the contract of whoever pays for it.
  ['administration', ['IMSI', 'ICCID']],
]

/** Event types that a caller is not shown, wherever events are read. */
export type HiddenEventTypes = ReadonlySet<EventTypeId>

const known = new Map<string, HiddenEventTypes>()

/** What a caller with these permissions is not shown: for the same permissions always the same set. */
export function hiddenEventTypes(permissions: ReadonlySet<Permission>): HiddenEventTypes {
  const missing = NEEDED.filter(([permission]) => !permissions.has(permission))
  const name = missing.map(([permission]) => permission).join()
  const hidden =
    known.get(name) ?? new Set(missing.flatMap(([, names]) => names.map(type => requiredEventType(type).id)))
  known.set(name, hidden)
  return hidden
}
