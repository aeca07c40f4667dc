import { type BenchResult, median } from './result.ts'

/**
 * The results of several repetitions as one for each name: the words are those of the repetition in the middle, the ratio and each figure
 * the median. A single repetition stays as it is, with the spread that it has in itself.
 */
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
