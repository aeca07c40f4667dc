import { millisecondText } from '../../../server/http/timestamps.ts'
import type { ItemRow } from './query.ts'

/** An item as its reader sees it. */
export function itemOf({ id, vehicleId, deviceId, start, deleted, modified, ...own }: ItemRow): object {
  return {
    id: String(id),
    vehicleId,
    deviceId,
    startTimestamp: millisecondText(start),
    ...own,
    deleteTimestamp: deleted === null ? null : millisecondText(deleted),
    modifyTimestamp: modified,
  }
}
