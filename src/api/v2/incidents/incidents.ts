import type { Static } from 'typebox'
import { eventTypeByName } from '../../../catalogue/event-types.ts'
import { type RuleKindName, ruleKindByName, type Severity } from '../../../catalogue/rule-kinds/index.ts'
import type { AccountReads } from '../../../db/account-reads.ts'
import { type Connection, type Statement, sql } from '../../../db/sql.ts'
import { writeTransaction } from '../../../db/transaction.ts'
import { instantMs } from '../../../db/values.ts'
import { type Acknowledgement, acknowledgeIncidents } from '../../../fleet/acknowledge-incidents.ts'
import { badRequest, notFound } from '../../../model/errors.ts'
import { deviceIdOf } from '../../../model/sample.ts'
import { isStorableText } from '../../../model/texts.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import { type RawConnection, type RawSample, readSamples, withRawConnection } from '../../../store/index.ts'
import { orNotFound, type Resource, routesOf } from '../../context.ts'
import {
  changesOfList,
  findItem,
  type GivenLowWatermark,
  readTimedPage,
  type SyncPage,
  sendSyncPage,
} from '../../lists.ts'
import type { Language } from '../../replies.ts'
import { numberIdOf, readTimestamp } from '../../schemas.ts'
import { notePositions } from '../../security-lines.ts'
import { decidingSampleOf, type ExplanationView, explanationViewOf } from '../trip-explanation/explanation.ts'
import { type AddressRow, addressColumn, addressOf, type TripView } from '../trips.ts'
import {
  AcknowledgementBody,
  AcknowledgementsBody,
  Incident,
  IncidentExplanation,
  IncidentList,
  IncidentListQuery,
  IncidentPath,
  type IncidentSample,
  Incidents,
  WithdrawalBody,
} from './schema.ts'

/** /incidents: what the rules of the caller's account found, beyond the original document. */
export const incidents: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'incidents', tag: 'Incidents' })
  const { database } = context
  route('GET /incidents', {
    summary: 'List incidents',
    description:
      'By startTimestamp; by modifyTimestamp with filterTimestamp. Without fromTimestamp and filterTimestamp, the newest ones.\n\n' +
      'Measurements that arrive late change incidents, and so do rules that are changed with a date in the past: one that proves to be none gets a deleteTimestamp.',
    query: IncidentListQuery,
    reply: IncidentList,
    answer: async asked => {
      const page = await listIncidents(asked.reads, asked.accountId, asked.query)
      notePositions(asked.request, asked.query)
      return sendSyncPage(asked, 'incidents', page, row => incidentOf(row, asked))
    },
  })
  route('GET /incidents/:incidentId', {
    summary: 'Get one incident',
    params: IncidentPath,
    reply: Incident,
    fails: [404],
    hasEtag: true,
    answer: async asked => {
      const { incidentId } = asked.params
      const row = orNotFound(await findIncident(asked.reads, asked.accountId, incidentId), `The incident ${incidentId}`)
      notePositions(asked.request, { vehicleId: row.vehicleId })
      return incidentOf(row, asked)
    },
  })
  route('GET /incidents/:incidentId/explain', {
    summary: 'Explain an incident',
    description: 'Which rule found it, with which values, and what was measured at its begin, peak and end.',
    params: IncidentPath,
    reply: IncidentExplanation,
    fails: [404],
    answer: async asked => {
      const { incidentId } = asked.params
      const { reads } = asked
      const row = await findIncident(reads, asked.accountId, incidentId)
      if (!row || row.isErased) throw notFound(`The incident ${incidentId}`)
      notePositions(asked.request, { vehicleId: row.vehicleId })
      return explanationOf(reads, row, explanationViewOf(asked))
    },
  })
  route('POST /incidents/:incidentId/acknowledgement', {
    operationId: 'acknowledgeIncident',
    summary: 'Acknowledge an incident',
    description:
      'It says who saw it, and keeps that when late data change or withdraw it. Again: the note is replaced.',
    params: IncidentPath,
    body: AcknowledgementBody,
    reply: Incident,
    fails: [404],
    answer: asked => one(asked, asked.params.incidentId, { by: asked.caller.name, note: noteOf(asked.body) }),
  })
  route('DELETE /incidents/:incidentId/acknowledgement', {
    operationId: 'takeAcknowledgementBack',
    summary: 'Take an acknowledgement back',
    params: IncidentPath,
    reply: Incident,
    fails: [404],
    answer: asked => one(asked, asked.params.incidentId),
  })
  route('POST /incidents/acknowledgements', {
    operationId: 'acknowledgeIncidents',
    summary: 'Acknowledge several incidents',
    description:
      'Those of them that nobody acknowledged yet, all at the same instant, or none if it fails. The reply has those.',
    body: AcknowledgementsBody,
    reply: Incidents,
    answer: async asked => {
      const given = { by: asked.caller.name, note: noteOf(asked.body) }
      return { incidents: await change(asked, asked.body.incidentIds, given, sql`acknowledged is null`) }
    },
  })
  route('POST /incidents/acknowledgements/withdrawal', {
    operationId: 'takeAcknowledgementsBack',
    summary: 'Take several acknowledgements back',
    description: 'Those that the caller made at that instant. What somebody else acknowledged meanwhile stays.',
    body: WithdrawalBody,
    reply: Incidents,
    answer: async asked => {
      const { incidentIds, acknowledgedTimestamp } = asked.body
      const at = readTimestamp(acknowledgedTimestamp, 'acknowledgedTimestamp')
      const isThat = sql`acknowledged_by = ${asked.caller.name}
        and date_trunc('milliseconds', acknowledged) = ${at}::timestamptz`
      return { incidents: await change(asked, incidentIds, undefined, isThat) }
    },
  })

  type Caller = Parameters<typeof incidentOf>[1] & { readonly accountId: number }
  const change = async (asked: Caller, incidentIds: readonly string[], given?: Acknowledgement, which = sql`true`) => {
    const ids = incidentIds.map(numberIdOf).filter(id => id !== undefined)
    const those = sql`id = any(${ids}::bigint[]) and account_id = ${asked.accountId} and not is_erased and ${which}`
    const rows = await writeTransaction(database, async transaction => {
      const changed = await acknowledgeIncidents(transaction, those, given)
      return transaction.rows<IncidentRow>(sql`
        select ${COLUMNS} from incidents item ${JOINS}
        where item.id = any(${changed}::bigint[]) order by item.start_time`)
    })
    return rows.map(row => incidentOf(row, asked))
  }
  const one = async (asked: Caller, incidentId: string, given?: Acknowledgement) =>
    orNotFound((await change(asked, [incidentId], given))[0], `The incident ${incidentId}`)
}

function noteOf({ note: given = '' }: Static<typeof AcknowledgementBody>): string {
  const note = given.trim()
  if (!isStorableText(note)) throw badRequest('note must not contain the character NUL or halves of characters.')
  return note
}

interface IncidentRow {
  readonly id: number
  readonly ruleId: number
  readonly ruleVersion: number
  readonly kind: string
  readonly severity: string
  /** Of the rule's version; null where it is gone. */
  readonly parameters: Readonly<Record<string, unknown>> | null
  readonly vehicleId: string
  readonly deviceId: number
  readonly tripId: number | null
  readonly areaId: number
  readonly detail: string
  readonly start: string
  readonly end: string | null
  readonly decided: string
  readonly peak: number | null
  readonly peakTime: string | null
  readonly startLat: number | null
  readonly startLon: number | null
  readonly endLat: number | null
  readonly endLon: number | null
  readonly startAddress: AddressRow | null
  readonly endAddress: AddressRow | null
  readonly acknowledged: string | null
  readonly acknowledgedBy: string | null
  readonly note: string | null
  readonly isErased: boolean
  /** The incident of another device in the vehicle that counts in its place; then it is deleted. */
  readonly supersededBy: number | null
  readonly deleted: string | null
  readonly modified: string
}

const COLUMNS = sql`
  item.id, item.rule_id as "ruleId", item.rule_version as "ruleVersion", item.kind, item.severity, w.parameters,
  v.public_id as "vehicleId", item.device_id as "deviceId", t.id as "tripId", item.area_id as "areaId", item.detail,
  item.start_time as start, item.end_time as "end", item.decided_time as decided, item.peak, item.peak_time as "peakTime",
  item.start_latitude as "startLat", item.start_longitude as "startLon", item.end_latitude as "endLat",
  item.end_longitude as "endLon", ${addressColumn(sql`s`)} as "startAddress", ${addressColumn(sql`e`)} as "endAddress",
  item.acknowledged, item.acknowledged_by as "acknowledgedBy", item.note, item.is_erased as "isErased",
  item.superseded_by as "supersededBy", item.deleted,
  item.modified`

/** A trip is found by time: trips change without their incidents. */
const JOINS = sql`
  join vehicles v on v.id = item.vehicle_id
  left join rule_versions w on w.rule_id = item.rule_id and w.version = item.rule_version
  left join addresses s on s.id = item.start_address_id
  left join addresses e on e.id = item.end_address_id
  left join lateral (
    select last.id from (
      select id, start_time, end_time, is_open from trips
      where vehicle_id = item.vehicle_id and start_time <= item.start_time and deleted is null
      order by start_time desc limit 1
    ) last where last.end_time >= item.start_time or last.is_open
  ) t on not item.is_erased`

/** GET /incidents: by start, or by modifyTimestamp with a filter. */
function listIncidents(
  connection: Connection,
  accountId: number,
  query: IncidentListQuery & GivenLowWatermark,
): Promise<SyncPage<IncidentRow>> {
  return readTimedPage(connection, accountId, query, {
    name: 'incidents',
    from: [sql`incidents item`],
    conditions: conditionsOf(query),
    joins: JOINS,
    columns: COLUMNS,
    begin: [sql`item.start_time`, 'start'],
  })
}

function conditionsOf({
  ruleId,
  areaId,
  kind,
  severity,
  state,
  isAcknowledged,
  filterTimestamp,
}: IncidentListQuery): Statement[] {
  const changing = Object.entries({ severity, state, isAcknowledged }).find(([, value]) => value !== undefined)
  if (changing && filterTimestamp !== undefined)
    throw badRequest(`${changing[0]} cannot be used with filterTimestamp: what no longer matches would be missed.`)
  const conditions: Statement[] = []
  if (ruleId !== undefined) conditions.push(isId(sql`item.rule_id`, ruleId))
  if (areaId !== undefined) conditions.push(isId(sql`item.area_id`, areaId))
  if (kind !== undefined) conditions.push(sql`item.kind = any(${kind}::text[])`)
  if (severity !== undefined) conditions.push(sql`item.severity = any(${severity}::text[])`)
  if (state !== undefined)
    conditions.push(state === 'open' ? sql`item.end_time is null` : sql`item.end_time is not null`)
  if (isAcknowledged !== undefined)
    conditions.push(isAcknowledged ? sql`item.acknowledged is not null` : sql`item.acknowledged is null`)
  return conditions
}

/** A text that can be no id matches nothing. */
function isId(column: Statement, text: string): Statement {
  const id = numberIdOf(text)
  return id === undefined ? sql`false` : sql`${column} = ${id}::bigint`
}

/** @returns undefined when the account has no such incident; a withdrawn one is found */
function findIncident(connection: Connection, accountId: number, incidentId: string): Promise<IncidentRow | undefined> {
  const found = { from: sql`incidents`, joins: JOINS, columns: COLUMNS, prepareAs: 'find-incident' }
  return findItem<IncidentRow>(connection, accountId, incidentId, found)
}

function incidentOf(row: IncidentRow, { language, maySeePositions }: TripView): Incident {
  return {
    id: String(row.id),
    ruleId: String(row.ruleId),
    ruleVersion: row.ruleVersion,
    kind: row.kind as RuleKindName,
    title: ruleKindByName(row.kind)?.title[language] ?? row.kind,
    severity: row.severity as Severity,
    vehicleId: row.vehicleId,
    deviceId: row.deviceId,
    tripId: row.tripId === null ? null : String(row.tripId),
    areaId: row.areaId === 0 ? null : String(row.areaId),
    detail: row.detail === '' ? null : row.detail,
    startTimestamp: millisecondText(row.start),
    endTimestamp: row.end === null ? null : millisecondText(row.end),
    peak: peakOf(row),
    startPosition: maySeePositions ? positionOf(row.startLat, row.startLon) : null,
    endPosition: maySeePositions ? positionOf(row.endLat, row.endLon) : null,
    startAddress: maySeePositions ? addressOf(row.startAddress, language) : null,
    endAddress: maySeePositions ? addressOf(row.endAddress, language) : null,
    acknowledged:
      row.acknowledged === null
        ? null
        : { timestamp: millisecondText(row.acknowledged), by: row.acknowledgedBy ?? '', note: row.note ?? '' },
    deleteTimestamp: row.deleted === null ? null : millisecondText(row.deleted),
    modifyTimestamp: row.modified,
  }
}

function positionOf(lat: number | null, lon: number | null): Incident['startPosition'] {
  return lat === null || lon === null ? null : { lat, lon }
}

function peakOf(row: IncidentRow): Incident['peak'] {
  if (row.peak === null) return null
  return {
    value: row.peak,
    unit: peakUnitOf(row.kind, row.parameters ?? {}),
    timestamp: row.peakTime === null ? null : millisecondText(row.peakTime),
  }
}

/** The unit of the peak values of what a rule finds; empty where there are none. @param parameters of the rule */
export function peakUnitOf(kind: string, parameters: Readonly<Record<string, unknown>>): string {
  const known = ruleKindByName(kind)
  if (known?.peakUnit !== null) return known?.peakUnit ?? ''
  const named = known.parameters.find(({ type }) => type === 'eventType')
  const eventType = named && parameters[named.name]
  return (typeof eventType === 'string' ? eventTypeByName(eventType)?.unit : undefined) ?? ''
}

export const incidentChanges = changesOfList('incidents', listIncidents, (rows, scope) =>
  rows.map(row => JSON.stringify(incidentOf(row, scope))),
)

interface FindingRule {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly savedBy: string
  readonly isDeleted: boolean
  /** The version that was saved last. */
  readonly newest: number
}

const REMARKS = {
  withdrawn: {
    en: 'Late data, another rule or another car show that it was none.',
    de: 'Spätere Daten, eine andere Regel oder ein anderes Fahrzeug zeigen, dass es keiner war.',
  },
  superseded: {
    en: 'Another device in the vehicle tells of the same: the incident in `coveredBy` counts in its place.',
    de: 'Ein anderes Gerät im Fahrzeug meldet dasselbe: an seiner Stelle zählt der Vorfall in `coveredBy`.',
  },
  silent: {
    en: 'The device fell silent; it ended with the last measurement and may go on with later ones.',
    de: 'Das Gerät verstummte; er endet mit der letzten Messung und kann mit späteren weitergehen.',
  },
  changedRule: {
    en: 'The rule was changed since; the version that held then counts.',
    de: 'Die Regel wurde seitdem geändert; es zählt die Version, die damals galt.',
  },
  deletedRule: { en: 'The rule was deleted since.', de: 'Die Regel wurde seitdem gelöscht.' },
  noSamples: {
    en: 'Its measurements are no longer kept.',
    de: 'Seine Messungen werden nicht mehr aufbewahrt.',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<Language, string>>>>

/** Why there is an incident: the rule that held, and the measurements at its begin, peak and end. */
async function explanationOf(
  reads: AccountReads,
  incident: IncidentRow,
  view: ExplanationView,
): Promise<IncidentExplanation> {
  const { language } = view
  const rule = await readRule(reads, incident)
  const samples = incident.deleted === null ? await readIncidentSamples(reads, incident, view) : []
  const state = stateOf(incident)
  const remarks = [
    ...(state === 'WITHDRAWN' ? [incident.supersededBy === null ? REMARKS.withdrawn : REMARKS.superseded] : []),
    ...(state === 'SILENT' ? [REMARKS.silent] : []),
    ...(rule.newest > incident.ruleVersion ? [REMARKS.changedRule] : []),
    ...(rule.isDeleted ? [REMARKS.deletedRule] : []),
    ...(incident.deleted === null && samples.length === 0 ? [REMARKS.noSamples] : []),
  ]
  return {
    incidentId: String(incident.id),
    state,
    remarks: remarks.map(remark => remark[language]),
    coveredBy: incident.supersededBy === null ? null : String(incident.supersededBy),
    rule: {
      ruleId: String(incident.ruleId),
      name: rule.name,
      version: incident.ruleVersion,
      description: ruleKindByName(incident.kind)?.description[language] ?? incident.kind,
      heldFromTimestamp: millisecondText(rule.from),
      heldToTimestamp: rule.to === 'infinity' ? null : millisecondText(rule.to),
      savedBy: rule.savedBy,
      parameters: parametersOf(incident, language),
    },
    decidedTimestamp: incident.decided === 'infinity' ? null : millisecondText(incident.decided),
    samples,
  }
}

function stateOf({ deleted, end, decided }: IncidentRow): IncidentExplanation['state'] {
  if (deleted !== null) return 'WITHDRAWN'
  if (end === null) return 'OPEN'
  return decided === 'infinity' ? 'SILENT' : 'ENDED'
}

function parametersOf({ kind, parameters }: IncidentRow, language: Language) {
  return (ruleKindByName(kind)?.parameters ?? []).map(parameter => {
    const value = parameters?.[parameter.name] ?? parameter.default
    return {
      name: parameter.name,
      label: parameter.label[language],
      value: parameter.type === 'areas' && Array.isArray(value) ? value.map(String) : value,
      unit: parameter.type === 'number' || parameter.type === 'integer' ? parameter.unit : '',
      isDefault: JSON.stringify(value) === JSON.stringify(parameter.default),
      reason: parameter.reason[language],
    }
  })
}

async function readRule(connection: Connection, { ruleId, ruleVersion }: IncidentRow): Promise<FindingRule> {
  const [rule] = await connection.rows<FindingRule>(sql`
    select r.name, w.from_time as "from", w.to_time as "to", w.saved_by as "savedBy",
      r.deleted is not null as "isDeleted", r.version as newest
    from rules r join rule_versions w on w.rule_id = r.id where r.id = ${ruleId} and w.version = ${ruleVersion}`)
  if (!rule) throw new Error(`there is no version ${ruleVersion} of the rule ${ruleId}`)
  return rule
}

/** Nothing outside of the incident is read: before and after it the device may have been in a car of another account. */
async function readIncidentSamples(
  reads: AccountReads,
  { deviceId: device, start, end, peakTime }: IncidentRow,
  { accept }: ExplanationView,
): Promise<IncidentSample[]> {
  const deviceId = deviceIdOf(device)
  if (deviceId === undefined) return []
  const startMs = instantMs(start)
  const endMs = end === null ? undefined : instantMs(end)
  const peakMs = peakTime === null ? undefined : instantMs(peakTime)
  return withRawConnection(reads, async connection => {
    const find = (fromMs: number, toMs: number, direction: 'ascending' | 'descending') =>
      findSample(connection, { deviceId, fromMs, toMs: toMs + 1 }, direction)
    const found = [
      ['START', await find(startMs, endMs ?? startMs, 'ascending')],
      ['PEAK', peakMs === undefined ? undefined : await find(peakMs, peakMs, 'ascending')],
      ['END', endMs === undefined || endMs === startMs ? undefined : await find(startMs, endMs, 'descending')],
    ] as const
    return found.flatMap(([of, raw]) => (raw ? [{ of, ...decidingSampleOf(raw, accept) }] : []))
  })
}

async function findSample(
  connection: RawConnection,
  interval: Parameters<typeof readSamples>[1][number],
  direction: 'ascending' | 'descending',
): Promise<RawSample | undefined> {
  for await (const [first] of readSamples(connection, [interval], {
    types: undefined,
    direction,
    nextSamples: () => 1,
  }))
    if (first) return first
  return undefined
}
