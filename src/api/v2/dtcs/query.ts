import { dtcLabel } from '../../../catalogue/dtc-labels.ts'
import { ecuName } from '../../../catalogue/ecus.ts'
import { type Connection, sql } from '../../../db/sql.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import {
  changesOfList,
  type GivenLowWatermark,
  readSyncPage,
  type SyncPage,
  type TimedListQuery,
  timedListConditions,
  timedListOrder,
} from '../../lists.ts'
import type { Language } from '../../replies.ts'
import type { Dtc } from './schema.ts'

interface DtcRow {
  readonly id: number
  readonly vehicleId: string
  readonly deviceId: number
  readonly ecuTypeId: number
  readonly code: string
  /** The operator's label; null where there is none. */
  readonly ownLabel: string | null
  readonly encoded: string
  readonly encoding: Dtc['encoding']
  readonly dtcType: Dtc['dtcType']
  readonly recorded: string
  readonly deleted: string | null
  readonly modified: string
}

/** GET /dtcs: by time, or by modifyTimestamp with a filter. */
export async function listDtcs(
  connection: Connection,
  accountId: number,
  query: TimedListQuery & GivenLowWatermark,
  language: Language,
): Promise<SyncPage<DtcRow>> {
  const begin = sql`item.recorded`
  return readSyncPage(
    connection,
    {
      name: 'dtcs',
      from: [sql`dtcs item`],
      conditions: await timedListConditions(connection, accountId, query, begin),
      found: sql`item.*`,
      // A label for the make takes precedence over one for all makes, whose make is empty.
      joins: sql`
        join vehicles v on v.id = item.vehicle_id
        left join lateral (
          select l.label from dtc_labels l
          where l.code = item.code and l.language = ${language} and l.make in ('', lower(v.make))
          order by l.make desc limit 1
        ) own on true`,
      columns: sql`
        item.id, v.public_id as "vehicleId", item.device_id as "deviceId", item.ecu_type_id as "ecuTypeId",
        item.code, own.label as "ownLabel", item.encoded, item.encoding, item.dtc_type as "dtcType",
        item.recorded, item.deleted, item.modified`,
      order: timedListOrder('recorded', begin),
      keepsNewest: true,
    },
    query,
  )
}

/** A trouble code as a caller sees it: the operator's own label takes precedence over that of the catalogue. */
export function dtcOf({ recorded, deleted, modified, ownLabel, ...row }: DtcRow, language: Language): Dtc {
  return {
    ...row,
    id: String(row.id),
    ecuType: ecuName(row.ecuTypeId, language),
    label: ownLabel ?? dtcLabel(row.code, language),
    recordedTimestamp: millisecondText(recorded),
    deleteTimestamp: deleted === null ? null : millisecondText(deleted),
    modifyTimestamp: modified,
  }
}

/** Trouble codes in the feed of changes. */
export const dtcChanges = changesOfList(
  'dtcs',
  (reads, accountId, query, { language }) => listDtcs(reads, accountId, query, language),
  (rows, { language }) => rows.map(row => JSON.stringify(dtcOf(row, language))),
)
