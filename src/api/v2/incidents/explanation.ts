import { ruleKindByName } from '../../../catalogue/rule-kinds/index.ts'
import type { AccountReads } from '../../../db/account-reads.ts'
import { type Connection, sql } from '../../../db/sql.ts'
import { instantMs } from '../../../db/values.ts'
import { deviceIdOf } from '../../../model/sample.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import { type RawConnection, type RawSample, readSamples, withRawConnection } from '../../../store/index.ts'
import type { Language } from '../../replies.ts'
import { decidingSampleOf, type ExplanationView } from '../trip-explanation/explanation.ts'
import type { IncidentRow } from './incidents.ts'
import type { IncidentExplanation, IncidentSample } from './schema.ts'

/** The version of the rule that found an incident. */
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
export async function explanationOf(
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
