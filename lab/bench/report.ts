import { table } from '../../src/lib/table.ts'
import type { Comparison } from './comparison.ts'
import { type BenchResult, boundText, meets } from './result.ts'
import { spreadOf } from './spread.ts'

/** The results as a table, each beside its limit and what it was in the former release. */
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

/** What got worse than in a former release, a sentence each; none: nothing beyond the spread. */
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
