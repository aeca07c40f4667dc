import type { Operation, RefusedSender } from '../api/schema.ts'
import { type Car, inOrder, needsAttention } from '../fleet/car.ts'
import type { Reason } from '../fleet/car-state.ts'
import { startOfBinMs } from '../statistics/bins.ts'
import type { Period } from '../statistics/statistics-search.ts'
import { type Bin, together } from '../statistics/summaries.ts'

/** A car, and why it is named. */
export interface NeedyCar {
  readonly car: Car
  readonly reasons: readonly Reason[]
}

/** The cars that somebody should look after, those first that need it most. */
export function carNeeds(cars: readonly Car[]) {
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
    // Nothing was heard of them for too long, or their dongle was unplugged.
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

/**
 * Yesterday, which is the last bin, beside the mean of the same weekday in the weeks before, from the day after the fleet's first
 * trip on, as the day on which it came is seldom whole; in its first week beside the mean of the few days that there are.
 */
export function yesterdayAndUsual(bins: readonly Bin[]) {
  const first = bins.findIndex(({ summary }) => summary.trips > 0)
  const before = first < 0 ? [] : bins.slice(first === 0 ? 0 : first + 1, -1)
  const sameDays = before.filter((_, at) => (before.length - at) % 7 === 0)
  const isFirstWeek = sameDays.length === 0
  return {
    yesterday: meanOf(bins.slice(-1)),
    usual: before.length === 0 ? undefined : meanOf(isFirstWeek ? before : sameDays),
    /** How many days the mean is of if it is not that of the weekday. */
    daysBefore: isFirstWeek ? before.length : undefined,
  }
}

function meanOf(days: readonly Bin[]) {
  const { trips, distance, duration } = together(days.map(({ summary }) => summary))
  return { trips: trips / days.length, distance: distance.sum / days.length, duration: duration.sum / days.length }
}
