/** How far repetitions of a measurement lie apart. */
export interface Spread {
  readonly low: number
  readonly high: number
  readonly runs: number
}

/** From so many repetitions on, single ones that something else disturbed are left out. */
const RUNS_FOR_QUARTILES = 8

/** The quartiles of many repetitions (linear between neighbours), the least and the greatest of few. */
export function spreadOf(runs: readonly number[]): Spread {
  const isMany = runs.length >= RUNS_FOR_QUARTILES
  return { low: quantile(runs, isMany ? 0.25 : 0), high: quantile(runs, isMany ? 0.75 : 1), runs: runs.length }
}

/** The value below which a share of the others is, linear between neighbours; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = share * (sorted.length - 1)
  const below = sorted[Math.floor(at)] ?? Number.NaN
  const above = sorted[Math.ceil(at)] ?? Number.NaN
  return below + (above - below) * (at - Math.floor(at))
}

/** What was measured relative to what was measured next to it, for each repetition. */
export function pairRatios(measured: readonly number[], against: readonly number[]): number[] {
  return measured.map((value, run) => value / (against[run] ?? Number.NaN))
}
