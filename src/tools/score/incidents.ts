import type { RuleKindName } from '../../catalogue/rule-kinds/index.ts'
import { compareIncidents } from '../accuracy/compare-incidents.ts'
import type { DongleTruth } from './known-truth.ts'
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

/** Compares what happened with what the rules found. @param fromMs when the fleet began */
export function scoreIncidents(
  devices: readonly { readonly truth: DongleTruth; readonly told: readonly ToldIncident[] }[],
  { idByKind, missing }: FoundRules,
  fromMs: number,
): IncidentScore {
  const kinds = [...idByKind].map(([kind, ruleId]): KindScore => {
    const compared = devices.map(({ truth, told }) => {
      const { incidents, allToldMs, dongle, deviceId } = truth
      const happened = incidents.map(({ kind: ofKind, start, end, isSure = true }) => ({
        kind: ofKind,
        fromMs: Date.parse(start),
        toMs: Date.parse(end),
        isSure: isSure && Date.parse(end) <= allToldMs,
      }))
      const known = told.filter(
        each => each.ruleId === ruleId && each.startMs < allToldMs && (each.endMs ?? Number.POSITIVE_INFINITY) > fromMs,
      )
      return { deviceId, ...compareIncidents(kind, happened, known, (dongle?.everyS ?? 0) * 1000) }
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

const text = (timeMs: number) => new Date(timeMs).toISOString()
