import { table } from '../../src/lib/table.ts'

export interface BenchResult {
  readonly name: string
  readonly measured: string
  readonly against: string
  readonly ratio: number
  readonly target: { readonly atLeast: number } | { readonly atMost: number }
  readonly runs?: readonly number[]
  /** Other figures by names with their units, for arithmetic such as that of `docs/scale.md`. */
  readonly figures?: Readonly<Record<string, number>>
}

export function limited(
  name: string,
  value: number,
  limit: number,
  words: Pick<BenchResult, 'measured' | 'against'>,
): BenchResult {
  return { name, ...words, ratio: value / limit, target: { atMost: 1 } }
}

export function meets({ ratio, target }: Pick<BenchResult, 'ratio' | 'target'>): boolean {
  return 'atLeast' in target ? ratio >= target.atLeast : ratio <= target.atMost
}

/** The median of each ratio and figure, with the words of the repetition in the middle. */
export function combined(repetitions: readonly (readonly BenchResult[])[]): BenchResult[] {
  const byName = new Map<string, BenchResult[]>()
  for (const result of repetitions.flat()) byName.set(result.name, [...(byName.get(result.name) ?? []), result])
  return [...byName.values()].flatMap(results => {
    const ratio = median(results.map(result => result.ratio))
    const middle = results.find(result => result.ratio === ratio) ?? results[0]
    if (!middle) return []
    if (results.length === 1) return [middle]
    const figures = medianFigures(results)
    return [{ ...middle, runs: results.map(result => result.ratio), ...(figures && { figures }) }]
  })
}

function medianFigures(results: readonly BenchResult[]): BenchResult['figures'] {
  const names = Object.keys(results[0]?.figures ?? {})
  if (names.length === 0) return undefined
  return Object.fromEntries(
    names.map(name => [name, median(results.map(({ figures }) => figures?.[name] ?? Number.NaN))]),
  )
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

interface Spread {
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

export function pairRatios(measured: readonly number[], against: readonly number[]): number[] {
  return measured.map((value, run) => value / (against[run] ?? Number.NaN))
}

/** By how much a result with a single repetition may differ from another before that counts. */
const UNKNOWN_SPREAD = 0.15

interface Comparison {
  readonly name: string
  readonly former: number | undefined
  readonly ratio: number
  /** Beyond the spread of both: their ranges have nothing in common. */
  readonly change: 'better' | 'worse' | 'within the spread' | 'new'
}

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

export function isGood(results: readonly BenchResult[], comparisons: readonly Comparison[]): boolean {
  return results.every(meets) && comparisons.every(({ change }) => change !== 'worse')
}

export function resultTable(results: readonly BenchResult[], comparisons: readonly Comparison[] = []): string {
  const byName = new Map(comparisons.map(comparison => [comparison.name, comparison]))
  const rows = results.map(result => {
    const { name, ratio, target, runs } = result
    const before = byName.get(name)
    return [
      meets(result) ? 'ok' : 'MISSED',
      name,
      number(ratio),
      runs && runs.length > 1 ? `${number(spreadOf(runs).low)} to ${number(spreadOf(runs).high)}` : '',
      boundText(target),
      before?.former === undefined ? '' : number(before.former),
      before && before.change !== 'new' ? before.change : '',
    ]
  })
  return table(['', 'figure', 'ratio', 'spread', 'target', 'before', 'change'], rows)
}

export function whatGotWorse(comparisons: readonly Comparison[], version: string): string[] {
  return comparisons
    .filter(({ change }) => change === 'worse')
    .map(
      ({ name, former, ratio }) =>
        `Worse than ${version} beyond the spread: ${name}, ${number(former ?? 0)} to ${number(ratio)}.`,
    )
}

function number(value: number): string {
  return value.toPrecision(3)
}

export async function elapsedMs(work: () => unknown): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}

/** In milliseconds, by run; in turn, each second time in the other order, so that load and garbage are shared. */
export async function elapsedInTurn<Works extends readonly ((run: number) => unknown)[]>(
  { warmUp, runs }: { readonly warmUp: number; readonly runs: number },
  works: Works,
): Promise<{ [Index in keyof Works]: number[] }> {
  const elapsed = works.map((): number[] => [])
  for (let run = -warmUp; run < runs; run++)
    for (const [index, work] of run % 2 === 0 ? works.entries() : [...works.entries()].toReversed()) {
      const ms = await elapsedMs(() => work(run))
      if (run >= 0) elapsed[index]?.push(ms)
    }
  return elapsed as { [Index in keyof Works]: number[] }
}
