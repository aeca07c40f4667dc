import { queryOptions } from '@tanstack/react-query'
import { askPage } from '../api/request.ts'
import type { Operation, RefusedSender } from '../api/schema.ts'
import type { Incident, Severity } from '../api/types.ts'
import { type Car, inOrder, needsAttention } from '../fleet/car.ts'
import type { Reason } from '../fleet/car-state.ts'
import { SEVERITIES } from '../incidents/incident.ts'
import type { Language } from '../language/language.ts'
import { startOfBinMs } from '../statistics/bins.ts'
import type { Period } from '../statistics/statistics-search.ts'
import { type Bin, type Summary, together } from '../statistics/summaries.ts'

/* What the page of the day is about: asked for and worked out here, shown by `today-page.tsx`. */

/** The kinds of rules that say when a car is to be serviced (`GET /rule-kinds`). */
const SERVICE_KINDS = ['SERVICE_DUE', 'SERVICE_DUE_KM', 'SERVICE_DUE_HOURS', 'SERVICE_DUE_DATE']

/** So many incidents of each severity are read; more are counted. */
const NEWEST = 20
const MOST_SERVICES = 500

/** What nobody has acknowledged yet. */
export interface Unseen {
  /** By severity, from the one that matters most: how many, and the newest first. Those that say when service is due are not among them. */
  readonly bySeverity: readonly {
    readonly severity: Severity
    readonly count: number
    readonly newest: readonly Incident[]
  }[]
  /** Due for service, the newest first. */
  readonly services: readonly Incident[]
}

/** Texts are of one language. Refetched with the lists of incidents, and when one is acknowledged. */
export function unseenQuery(language: Language) {
  return queryOptions({
    queryKey: ['incidents', 'unseen', 'today', language],
    queryFn: async ({ signal }): Promise<Unseen> => {
      const ask = async (filter: { readonly severity?: string; readonly kind?: string }, maxResults: number) => {
        const query = { ...filter, isAcknowledged: false, count: true, maxResults }
        const { reply, total } = await askPage('GET /cc/v2.0/incidents', { query, signal })
        return { newest: reply.incidents.toReversed(), count: total ?? reply.incidents.length }
      }
      const [services, ...others] = await Promise.all([
        ask({ kind: SERVICE_KINDS.join() }, MOST_SERVICES),
        ...SEVERITIES.map(severity => ask({ severity }, NEWEST)),
      ])
      return {
        services: services.newest,
        bySeverity: SEVERITIES.map((severity, index) => {
          const { newest, count } = others[index] ?? { newest: [], count: 0 }
          return {
            severity,
            count: count - services.newest.filter(each => each.severity === severity).length,
            newest: newest.filter(({ kind }) => !SERVICE_KINDS.includes(kind)),
          }
        }),
      }
    },
  })
}

/** A car, and why it is named. */
export interface NeedyCar {
  readonly car: Car
  readonly reasons: readonly Reason[]
}

/** The cars that somebody should look after, those first that need it most. */
export interface CarNeeds {
  readonly faults: readonly NeedyCar[]
  readonly batteries: readonly NeedyCar[]
  /** Nothing was heard of them for too long, or their dongle was unplugged. */
  readonly silent: readonly NeedyCar[]
}

export function carNeeds(cars: readonly Car[]): CarNeeds {
  const sorted = inOrder(cars.filter(car => needsAttention(car) || car.state.movement.kind === 'silent'))
  const withReason = (...kinds: readonly Reason['kind'][]) =>
    sorted.flatMap((car): NeedyCar[] => {
      const { health } = car.state
      const reasons = health.kind === 'attention' ? health.reasons.filter(({ kind }) => kinds.includes(kind)) : []
      const isSilent = kinds.includes('unplugged') && car.state.movement.kind === 'silent'
      return reasons.length > 0 || isSilent ? [{ car, reasons }] : []
    })
  return {
    faults: withReason('codes', 'unnamedCodes', 'lamp'),
    batteries: withReason('battery'),
    silent: withReason('unplugged'),
  }
}

/** Who was refused since yesterday began, and would be again: what is registered by now is settled. */
export function refusedNow({ refused }: Pick<Operation, 'refused'>, nowMs: number): readonly RefusedSender[] {
  const sinceMs = startOfBinMs(nowMs, 'DAY', -1)
  return refused.filter(({ isKnown, lastTimestamp }) => !isKnown && Date.parse(lastTimestamp) >= sinceMs)
}

const WEEKS = 4

/** Yesterday and the same weekday of the weeks before it. */
export function usualPeriod(nowMs: number): Period & { readonly toMs: number } {
  const fromMs = startOfBinMs(nowMs, 'DAY', -1 - 7 * WEEKS)
  return { fromMs, toMs: startOfBinMs(nowMs, 'DAY') - 1, size: 'DAY', sizes: ['DAY'] }
}

/** Of a day on average. */
export interface Usual {
  readonly distanceKm: number
  readonly durationS: number
  readonly trips: number
}

/**
 * Yesterday, which is the last bin, beside the mean of the same weekday in the weeks before; from the fleet's first trip on,
 * as it was not there before.
 */
export function yesterdayAndUsual(bins: readonly Bin[]): {
  readonly yesterday: Summary
  readonly usual: Usual | undefined
} {
  const yesterday = bins.at(-1)?.summary ?? together([])
  const first = bins.findIndex(({ summary }) => summary.trips > 0)
  const before = bins.filter((_, at) => at >= first && at < bins.length - 1 && (bins.length - 1 - at) % 7 === 0)
  if (first < 0 || before.length === 0) return { yesterday, usual: undefined }
  const { trips, distance, duration } = together(before.map(({ summary }) => summary))
  const mean = (sum: number) => sum / before.length
  return {
    yesterday,
    usual: { distanceKm: mean(distance.sum), durationS: mean(duration.sum), trips: mean(trips) },
  }
}
