import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { RULE_KINDS, type RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import { type ComparedRule, comparedRules, namesAreas } from '../accuracy/compared-rules.ts'
import type { Asked } from '../accuracy/true-incident.ts'
import type { ApiReader } from './api-reader.ts'
import { findAreas } from './areas.ts'

/** Which rules of the account ask for what the truth tells. */
export interface FoundRules {
  readonly idByKind: ReadonlyMap<RuleKindName, string>
  readonly missing: readonly MissingRule[]
}

/** As `POST /rules` takes it. */
interface RuleToSave {
  readonly name: string
  readonly kind: RuleKindName
  /** By name; areas are lists of their ids. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly hours: RuleHours | null
  readonly fromTimestamp: string
}

export type MissingRule = Omit<RuleToSave, 'name'>

interface RuleHours {
  readonly timeZone: string
  readonly days: readonly (readonly { readonly from: string; readonly to: string }[])[]
}

interface RuleItem {
  readonly id: string
  readonly kind: RuleKindName
  readonly parameters: Readonly<Record<string, unknown>>
  readonly vehicleIds: readonly string[] | null
  readonly hours: RuleHours | null
  readonly fromTimestamp: string
}

const LOOK_EVERY_MS = 500

/**
 * Looks for a rule of each kind that watches all cars since the fleet began, and waits until what they find is worked out.
 * @param fromMs when the fleet began
 * @param creates those that are missing are created
 * @throws OperatorError when rules may not be read, or not be created.
 */
export async function findRules(api: ApiReader, asked: Asked, fromMs: number, creates: boolean): Promise<FoundRules> {
  const known: RuleItem[] = []
  for await (const item of api.list('/rules', {}, page => (page as { rules: RuleItem[] }).rules)) known.push(item)
  const areaIds = asked.areas.length > 0 ? await findAreas(api, asked.areas, fromMs, creates) : []
  const idByKind = new Map<RuleKindName, string>()
  const missing: MissingRule[] = []
  for (const rule of comparedRules(asked)) {
    const wanted = wantedRule(rule, areaIds ?? [], fromMs)
    // Without a list of areas a rule asks for all of the account.
    const isKnown = areaIds !== undefined || !namesAreas(rule.kind)
    const match = isKnown ? known.find(item => asksFor(item, wanted)) : undefined
    if (match) idByKind.set(rule.kind, match.id)
    else if (creates) idByKind.set(rule.kind, await created(api, wanted))
    else missing.push(wanted)
  }
  while (!((await api.one('/rules/progress')) as { readonly isDone: boolean }).isDone) await sleep(LOOK_EVERY_MS)
  return { idByKind, missing }
}

function wantedRule(
  { kind, parameters, permittedHours }: ComparedRule,
  areaIds: readonly string[],
  fromMs: number,
): MissingRule {
  return {
    kind,
    parameters: namesAreas(kind) ? { ...parameters, areas: areaIds } : parameters,
    hours: permittedHours && everyDay(permittedHours),
    fromTimestamp: new Date(fromMs).toISOString(),
  }
}

function everyDay([fromHour, toHour]: Asked['permittedHours']): RuleHours {
  const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`
  return { timeZone: 'UTC', days: Array.from({ length: 7 }, () => [{ from: clock(fromHour), to: clock(toHour) }]) }
}

function asksFor(item: RuleItem, { kind, parameters, hours, fromTimestamp }: MissingRule): boolean {
  return (
    item.kind === kind &&
    item.vehicleIds === null &&
    Date.parse(item.fromTimestamp) <= Date.parse(fromTimestamp) &&
    isDeepStrictEqual(item.hours, hours) &&
    isDeepStrictEqual(withDefaults(kind, item.parameters), withDefaults(kind, parameters))
  )
}

function withDefaults(kind: RuleKindName, parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = RULE_KINDS.find(({ name }) => name === kind)?.parameters ?? []
  return { ...Object.fromEntries(known.map(parameter => [parameter.name, parameter.default])), ...parameters }
}

async function created(api: ApiReader, wanted: MissingRule): Promise<string> {
  const title = RULE_KINDS.find(({ name }) => name === wanted.kind)?.title.en ?? wanted.kind
  const rule: RuleToSave = { name: `${title} (tacho score)`, ...wanted }
  return ((await api.create('/rules', rule)) as { readonly id: string }).id
}
