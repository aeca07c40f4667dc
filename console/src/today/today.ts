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
