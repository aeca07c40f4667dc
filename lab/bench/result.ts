import { type Spread, spreadOf } from './spread.ts'

/** One line of what `npm run bench` prints: a figure as a ratio to its limit in the same run, and its target. */
export interface BenchResult {
  readonly name: string
  /** What was measured, in words with units. */
  readonly measured: string
  /** What it is compared with, in words with units. */
  readonly against: string
  /** The median of `runs`, where there are any. */
  readonly ratio: number
  readonly target: { readonly atLeast: number } | { readonly atMost: number }
  /** The ratio of each repetition, in which both were measured. */
  readonly runs?: readonly number[]
  /** Other figures by names with their units, for arithmetic such as that of `docs/scale.md`. */
  readonly figures?: Readonly<Record<string, number>>
}

export function meets({ ratio, target }: Pick<BenchResult, 'ratio' | 'target'>): boolean {
  return 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost
}

export function printResults(results: readonly BenchResult[]): void {
  for (const result of results) {
    const { name, measured, against, ratio, target, runs } = result
    console.log(`${meets(result) ? 'ok    ' : 'MISSED'} ${name}: ${ratio.toPrecision(3)} (${boundText(target)})`)
    console.log(`         ${measured}; against ${against}${runs ? `; ${spreadText(spreadOf(runs))}` : ''}`)
  }
}

export function boundText(target: BenchResult['target']): string {
  return 'atLeast' in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`
}

function spreadText({ low, high, runs }: Spread): string {
  return `from ${low.toPrecision(3)} to ${high.toPrecision(3)} in ${runs} repetitions`
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
