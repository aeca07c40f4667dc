import { type BenchResult, meets } from './result.ts'
import { type Spread, spreadOf } from './spread.ts'

/** By how much a result with a single repetition may differ from another before that counts. */
const UNKNOWN_SPREAD = 0.15

/** How a result is, compared with a former one of the same name. */
export interface Comparison {
  readonly name: string
  readonly former: number | undefined
  readonly ratio: number
  /** Beyond the spread of both: their ranges have nothing in common. */
  readonly change: 'better' | 'worse' | 'within the spread' | 'new'
}

/** Compares each result with the former one of its name and target. Pure. */
export function compared(results: readonly BenchResult[], former: readonly BenchResult[]): Comparison[] {
  const byName = new Map(former.map(result => [result.name, result]))
  return results.map(result => {
    const before = byName.get(result.name)
    const { name, ratio } = result
    if (!before) return { name, former: undefined, ratio, change: 'new' }
    return { name, former: before.ratio, ratio, change: changeOf(result, before) }
  })
}

function changeOf(result: BenchResult, before: BenchResult): Comparison['change'] {
  const [now, then] = [rangeOf(result), rangeOf(before)]
  const isHigher = now.low > then.high
  const isLower = now.high < then.low
  if (!isHigher && !isLower) return 'within the spread'
  return isHigher === 'atLeast' in result.target ? 'better' : 'worse'
}

function rangeOf({ ratio, runs }: BenchResult): Pick<Spread, 'low' | 'high'> {
  if (runs && runs.length > 1) return spreadOf(runs)
  return { low: ratio * (1 - UNKNOWN_SPREAD), high: ratio * (1 + UNKNOWN_SPREAD) }
}

/** Whether a run is as good as it has to be: every target met, and nothing worse than before. */
export function isGood(results: readonly BenchResult[], comparisons: readonly Comparison[]): boolean {
  return results.every(meets) && comparisons.every(({ change }) => change !== 'worse')
}
