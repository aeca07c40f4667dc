import { queryOptions } from '@tanstack/react-query'
import { askPage } from '../api/request.ts'
import type { Operation, RefusedSender } from '../api/schema.ts'
import { type Car, inOrder, needsAttention } from '../fleet/car.ts'
import type { Reason } from '../fleet/car-state.ts'
import { SEVERITIES } from '../incidents/incident.ts'
import type { Language } from '../language/language.ts'
import { startOfBinMs } from '../statistics/bins.ts'
import type { Period } from '../statistics/statistics-search.ts'
import { type Bin, together } from '../statistics/summaries.ts'

/* What the page of the day is about: asked for and worked out here, shown by `today-page.tsx`. */

/** The kinds of rules that say when a car is to be serviced (`GET /rule-kinds`). */
const SERVICE_KINDS = ['SERVICE_DUE', 'SERVICE_DUE_KM', 'SERVICE_DUE_HOURS', 'SERVICE_DUE_DATE']

/** So many incidents of each severity are read; more are counted. */
const NEWEST = 20
const MOST_SERVICES = 500

/**
 * What nobody has acknowledged yet, those that matter most first, then the newest. When service is due is told apart. Texts are
 * of one language. Refetched with the lists of incidents, and when one is acknowledged.
 */
export function unseenQuery(language: Language) {
  return queryOptions({
    queryKey: ['incidents', 'unseen', 'today', language],
    queryFn: async ({ signal }) => {
      const ask = async (filter: { readonly severity?: string; readonly kind?: string }, maxResults: number) => {
        const query = { ...filter, isAcknowledged: false, count: true, maxResults }
        const { reply, total } = await askPage('GET /cc/v2.0/incidents', { query, signal })
        return { newest: reply.incidents.toReversed(), count: total ?? reply.incidents.length }
      }
      const [{ newest: services }, ...bySeverity] = await Promise.all([
        ask({ kind: SERVICE_KINDS.join() }, MOST_SERVICES),
        ...SEVERITIES.map(async severity => ({ severity, ...(await ask({ severity }, NEWEST)) })),
      ])
      const counts = bySeverity.map(({ severity, count }) => ({
        severity,
        count: count - services.filter(each => each.severity === severity).length,
      }))
      return {
        unseen: bySeverity.flatMap(({ newest }) => newest.filter(({ kind }) => !SERVICE_KINDS.includes(kind))),
        counts: counts.filter(({ count }) => count > 0),
        services,
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
interface CarNeeds {
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

/** What a fleet drove in a day, or in a usual one. */
interface DayFigures {
  readonly distanceKm: number
  readonly durationS: number
  readonly trips: number
}

/**
 * Yesterday, which is the last bin, beside the mean of the same weekday in the weeks before; from the fleet's first trip on,
 * as it was not there before.
 */
export function yesterdayAndUsual(bins: readonly Bin[]) {
  const first = bins.findIndex(({ summary }) => summary.trips > 0)
  const before = bins.filter((_, at) => at >= first && at < bins.length - 1 && (bins.length - 1 - at) % 7 === 0)
  return {
    yesterday: meanOf(bins.slice(-1)),
    usual: first < 0 || before.length === 0 ? undefined : meanOf(before),
  }
}

function meanOf(days: readonly Bin[]): DayFigures {
  const { trips, distance, duration } = together(days.map(({ summary }) => summary))
  const mean = (sum: number) => sum / days.length
  return { distanceKm: mean(distance.sum), durationS: mean(duration.sum), trips: mean(trips) }
}
