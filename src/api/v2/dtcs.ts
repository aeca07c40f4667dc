import { type Static, Type } from 'typebox'
import { dtcLabel } from '../../catalogue/dtc-labels.ts'
import { ecuName } from '../../catalogue/ecus.ts'
import { type Connection, sql } from '../../db/sql.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import { type Resource, routesOf } from '../context.ts'
import {
  changesOfList,
  type GivenLowWatermark,
  readTimedPage,
  type SyncPage,
  sendSyncPage,
  type TimedListQuery,
  timedListQuery,
} from '../lists.ts'
import type { Language } from '../replies.ts'
import { deviceIdField, instant, nullable, revision, syncList } from '../schemas.ts'

/** GET /dtcs: the trouble codes of the caller's account. */
export const dtcs: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'dtcs', tag: 'Trouble codes' })
  route('GET /dtcs', {
    summary: 'List diagnostic trouble codes',
    description:
      'By recordedTimestamp; by modifyTimestamp with filterTimestamp. Without fromTimestamp and filterTimestamp, the newest ones.\n\n' +
      'A code is current from the first list of the device with it until the first later list of that kind without it.',
    query: DtcListQuery,
    reply: DtcList,
    answer: async asked => {
      const { language } = asked
      const page = await listDtcs(asked.reads, asked.accountId, asked.query, language)
      return sendSyncPage(asked, 'dtcs', page, row => dtcOf(row, language))
    },
  })
}

interface DtcRow {
  readonly id: number
  readonly vehicleId: string
  readonly deviceId: number
  readonly ecuTypeId: number
  readonly code: string
  readonly ownLabel: string | null
  readonly encoded: string
  readonly encoding: Dtc['encoding']
  readonly dtcType: Dtc['dtcType']
  readonly recorded: string
  readonly deleted: string | null
  readonly modified: string
}

/** GET /dtcs: by time, or by modifyTimestamp with a filter. */
function listDtcs(
  connection: Connection,
  accountId: number,
  query: TimedListQuery & GivenLowWatermark,
  language: Language,
): Promise<SyncPage<DtcRow>> {
  return readTimedPage(connection, accountId, query, {
    name: 'dtcs',
    from: [sql`dtcs item`],
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
    begin: [sql`item.recorded`, 'recorded'],
  })
}

/** A trouble code as a caller sees it: the operator's own label takes precedence over that of the catalogue. */
function dtcOf({ recorded, deleted, modified, ownLabel, ...row }: DtcRow, language: Language): Dtc {
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

export const dtcChanges = changesOfList(
  'dtcs',
  (reads, accountId, query, { language }) => listDtcs(reads, accountId, query, language),
  (rows, { language }) => rows.map(row => JSON.stringify(dtcOf(row, language))),
)

/** A diagnostic trouble code (fleet-api-v2.md, *DTC*). */
export const Dtc = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the fault code.', examples: ['99'] }),
    vehicleId: Type.String({ examples: ['VINWVWZZZ1KZAW000001'] }),
    deviceId: deviceIdField,
    ecuTypeId: Type.Integer({
      format: 'int32',
      description: 'Electronic control unit; 0 when it is not known.',
      examples: [1],
    }),
    ecuType: Type.String({ description: 'Name of the control unit; empty when not known.', examples: ['Engine'] }),
    code: Type.String({ description: 'The trouble code.', examples: ['P0301'] }),
    encoded: Type.String({
      description: 'The code as the device reported it, in upper case; a failure type of ISO 14229-1 follows the code.',
      examples: ['0301'],
    }),
    encoding: Type.Enum(['HEX', 'DECIMAL', 'PCODE'], { description: 'The form in which the device reported it.' }),
    label: Type.String({
      description:
        "What the code means: the operator's own text, the built-in one, or for codes without any the part of the car.",
      examples: ['Misfire cylinder 1 detected'],
    }),
    dtcType: Type.Enum(['PERMANENT', 'SPORADIC', 'FREEZEFRAME'], {
      description: 'The list that the code was in; FREEZEFRAME: measurements of the moment of the fault are stored.',
    }),
    recordedTimestamp: instant('When the code was first in a list of the device.'),
    deleteTimestamp: nullable(instant('The first list without the code; null while it is current.')),
    modifyTimestamp: revision('When anything of it last changed.'),
  },
  { title: 'Dtc', description: 'A diagnostic trouble code.' },
)
export type Dtc = Static<typeof Dtc>

const DtcList = syncList('dtcs', Dtc, 'DtcList')

const DtcListQuery = timedListQuery({
  begin: 'recordedTimestamp',
  deviceId: 'Only codes that this device reported.',
  vehicleId: 'Only codes of this vehicle.',
  includeDeleted: 'Also list codes that are no longer reported',
})
