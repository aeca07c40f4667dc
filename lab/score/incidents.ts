import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { RULE_KINDS, type RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import { type ComparedRule, comparedRules, compareIncidents, namesAreas } from '../accuracy/incidents.ts'
import type { Asked, TrueIncident } from '../accuracy/true-incidents.ts'
import type { ApiReader } from './api-reader.ts'
import { type DongleTruth, sharedVins } from './known-truth.ts'

export interface ToldIncident {
  readonly ruleId: string
  readonly kind: RuleKindName
  readonly startMs: number
  readonly endMs: number | null
}

interface KindScore {
  readonly kind: RuleKindName
  readonly happened: number
  readonly found: number
  readonly recall: number | null
  readonly told: number
  readonly right: number
  readonly precision: number | null
  readonly missed: readonly IncidentOfDevice[]
  readonly invented: readonly IncidentOfDevice[]
}

interface IncidentOfDevice {
  readonly deviceId: number
  readonly start: string
  readonly end: string | null
}

function ofDevice(
  { deviceId }: { readonly deviceId: number },
  startMs: number,
  endMs: number | null,
): IncidentOfDevice {
  return { deviceId, start: text(startMs), end: endMs === null ? null : text(endMs) }
}

export interface IncidentScore {
  readonly kinds: readonly KindScore[]
  readonly missingRules: readonly MissingRule[]
}

interface DeviceIncidents {
  readonly truth: DongleTruth
  readonly told: readonly ToldIncident[]
}

export function scoreIncidents(
  devices: readonly DeviceIncidents[],
  { idByKind, missing }: FoundRules,
  fromMs: number,
): IncidentScore {
  const apart = sharingCars(devices).map(dongles => ({
    deviceId: dongles[0].truth.deviceId,
    allToldMs: Math.min(...dongles.map(({ truth }) => truth.allToldMs)),
    everyS: Math.max(...dongles.map(({ truth }) => truth.dongle?.everyS ?? 0)),
    happened: onceACar(dongles.flatMap(({ truth }) => truth.incidents)),
    told: dongles.flatMap(({ told }) => told),
  }))
  const kinds = [...idByKind].map(([kind, ruleId]): KindScore => {
    const compared = apart.map(({ deviceId, allToldMs, everyS, happened: all, told }) => {
      const happened = all.map(each => ({ ...each, isSure: each.isSure && each.toMs <= allToldMs }))
      const known = told.filter(
        each => each.ruleId === ruleId && each.startMs < allToldMs && (each.endMs ?? Number.POSITIVE_INFINITY) > fromMs,
      )
      return { deviceId, ...compareIncidents(kind, happened, known, everyS * 1000) }
    })
    const sum = (of: 'sure' | 'matched' | 'found' | 'right') => compared.reduce((total, each) => total + each[of], 0)
    const [happened, found, told, right] = [sum('sure'), sum('matched'), sum('found'), sum('right')]
    return {
      kind,
      happened,
      found,
      recall: happened === 0 ? null : found / happened,
      told,
      right,
      precision: told === 0 ? null : right / told,
      missed: compared.flatMap(each => each.missed.map(({ fromMs: ms, toMs }) => ofDevice(each, ms, toMs))),
      invented: compared.flatMap(each => each.invented.map(({ startMs, endMs }) => ofDevice(each, startMs, endMs))),
    }
  })
  return { kinds, missingRules: missing }
}

/** Dongles that are in one car tell of an event once, whichever of them it is. */
function sharingCars(devices: readonly DeviceIncidents[]): (readonly [DeviceIncidents, ...DeviceIncidents[]])[] {
  const vins = sharedVins(devices.map(({ truth }) => truth))
  const groups: [DeviceIncidents, ...DeviceIncidents[]][] = []
  for (const device of devices) {
    const sharedWith = (others: readonly DeviceIncidents[]) =>
      [...vins].some(vin => wasIn(device, vin) && others.some(other => wasIn(other, vin)))
    const group = groups.find(sharedWith)
    if (group) group.push(device)
    else groups.push([device])
  }
  return groups
}

const wasIn = ({ truth }: DeviceIncidents, vin: string) =>
  truth.dongle?.secondIn === vin || truth.stints.some(stint => stint.vin === vin)

/** An event that several dongles of a car recorded is one, as clear as the records of any of them show it. */
function onceACar(incidents: DongleTruth['incidents']): TrueIncident[] {
  const once: { event: TrueIncident; readonly vin: string; readonly tellers: Set<number> }[] = []
  for (const { deviceId, kind, vin, start, end, isSure = true } of incidents) {
    const event = { kind, fromMs: Date.parse(start), toMs: Date.parse(end), isSure }
    const known = once.find(
      other =>
        other.vin === vin &&
        !other.tellers.has(deviceId) &&
        other.event.kind === kind &&
        other.event.fromMs <= event.toMs &&
        event.fromMs <= other.event.toMs,
    )
    if (known) {
      const { fromMs, toMs } = known.event
      known.event = {
        kind,
        fromMs: Math.min(fromMs, event.fromMs),
        toMs: Math.max(toMs, event.toMs),
        isSure: known.event.isSure || isSure,
      }
      known.tellers.add(deviceId)
    } else once.push({ event, vin, tellers: new Set([deviceId]) })
  }
  return once.map(({ event }) => event)
}

const text = (timeMs: number) => new Date(timeMs).toISOString()

interface FoundRules {
  readonly idByKind: ReadonlyMap<RuleKindName, string>
  readonly missing: readonly MissingRule[]
}

interface RuleToSave {
  readonly name: string
  readonly kind: RuleKindName
  readonly parameters: Readonly<Record<string, unknown>>
  readonly hours: RuleHours | null
  readonly fromTimestamp: string
}

type MissingRule = Omit<RuleToSave, 'name'>

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

/** A rule of each kind since the fleet began; waits until their incidents are worked out. @throws OperatorError */
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

interface AreaItem {
  readonly id: string
  readonly geometry: unknown
  readonly radiusM: number | null
  readonly validFromTimestamp: string | null
}

/** @returns the ids of the areas, in the order in which rules list them; undefined where some are missing */
async function findAreas(
  api: ApiReader,
  areas: Asked['areas'],
  fromMs: number,
  creates: boolean,
): Promise<string[] | undefined> {
  const known: AreaItem[] = []
  for await (const item of api.list('/areas', {}, page => (page as { areas: AreaItem[] }).areas)) known.push(item)
  const ids: string[] = []
  for (const { center, radiusM } of areas) {
    const geometry = { type: 'Point', coordinates: [center.lon, center.lat] }
    const match = known.find(
      item =>
        item.radiusM === radiusM &&
        (item.validFromTimestamp === null || Date.parse(item.validFromTimestamp) <= fromMs) &&
        isDeepStrictEqual(item.geometry, geometry),
    )
    if (!match && !creates) return undefined
    const validFromTimestamp = new Date(fromMs).toISOString()
    const area = { name: `Home ${ids.length + 1} (tacho score)`, geometry, radiusM, validFromTimestamp }
    ids.push(match?.id ?? ((await api.create('/areas', area)) as { readonly id: string }).id)
  }
  return ids.sort((a, b) => Number(a) - Number(b))
}
