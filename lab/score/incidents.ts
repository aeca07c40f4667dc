import type { RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import { compareIncidents } from '../accuracy/compare-incidents.ts'
import type { TrueIncident } from '../accuracy/true-incident.ts'
import { type DongleTruth, sharedVins } from './known-truth.ts'
import type { FoundRules, MissingRule } from './rules.ts'

/** An incident that the API tells of. */
export interface ToldIncident {
  readonly ruleId: string
  readonly kind: RuleKindName
  readonly startMs: number
  /** null: it goes on. */
  readonly endMs: number | null
}

/** How well incidents of a kind are found. */
interface KindScore {
  readonly kind: RuleKindName
  /** Those that the records show clearly, and how many of them were found. */
  readonly happened: number
  readonly found: number
  /** null where none happened. */
  readonly recall: number | null
  /** All that the API tells of, and how many of them happened. */
  readonly told: number
  readonly right: number
  /** null where none is told. */
  readonly precision: number | null
  readonly missed: readonly IncidentOfDevice[]
  readonly invented: readonly IncidentOfDevice[]
}

interface IncidentOfDevice {
  readonly deviceId: number
  readonly start: string
  readonly end: string | null
}

export interface IncidentScore {
  readonly kinds: readonly KindScore[]
  /** What no rule of the account asks for, so that it is not compared. */
  readonly missingRules: readonly MissingRule[]
}

interface DeviceIncidents {
  readonly truth: DongleTruth
  readonly told: readonly ToldIncident[]
}

/** Compares what happened with what the rules found. @param fromMs when the fleet began */
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
      missed: compared.flatMap(({ deviceId, missed }) =>
        missed.map(({ fromMs: startMs, toMs }) => ({ deviceId, start: text(startMs), end: text(toMs) })),
      ),
      invented: compared.flatMap(({ deviceId, invented }) =>
        invented.map(({ startMs, endMs }) => ({
          deviceId,
          start: text(startMs),
          end: endMs === null ? null : text(endMs),
        })),
      ),
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

/** What several dongles of a car recorded is one event, as clear as the records of any of them show it. */
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
      known.event = bothOf(known.event, event)
      known.tellers.add(deviceId)
    } else once.push({ event, vin, tellers: new Set([deviceId]) })
  }
  return once.map(({ event }) => event)
}

function bothOf(one: TrueIncident, other: TrueIncident): TrueIncident {
  const fromMs = Math.min(one.fromMs, other.fromMs)
  const toMs = Math.max(one.toMs, other.toMs)
  return { kind: one.kind, fromMs, toMs, isSure: one.isSure || other.isSure }
}

const text = (timeMs: number) => new Date(timeMs).toISOString()
