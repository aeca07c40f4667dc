/** One line of what `npm run bench` prints: a figure as a ratio to its physical limit in the same run, and its target. */
export interface BenchResult {
  readonly name: string
  /** What was measured, in words with units. */
  readonly measured: string
  /** What it is compared with, in words with units. */
  readonly against: string
  readonly ratio: number
  readonly target: { readonly atLeast: number } | { readonly atMost: number }
}

export function meets({ ratio, target }: BenchResult): boolean {
  return 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost
}

export function printResults(results: readonly BenchResult[]): void {
  for (const result of results) {
    const { name, measured, against, ratio, target } = result
    const bound = 'atLeast' in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`
    console.log(`${meets(result) ? 'ok    ' : 'MISSED'} ${name}: ${ratio.toPrecision(3)} (${bound})`)
    console.log(`         ${measured}; against ${against}`)
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
