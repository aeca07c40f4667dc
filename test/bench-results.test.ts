import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { chosenNames } from '../lab/bench/benchmarks.ts'
import { newestRecording, SCALE_PAGE, withRecording } from '../lab/bench/recording.ts'
import {
  type BenchResult,
  combined,
  compared,
  isGood,
  quantile,
  resultTable,
  spreadOf,
  whatGotWorse,
} from '../lab/bench/result.ts'

const faster = (ratio: number, runs?: readonly number[]): BenchResult => ({
  name: 'ingest',
  measured: `${ratio} µs`,
  against: '1 µs',
  ratio,
  target: { atLeast: 0.5 },
  ...(runs && { runs }),
})
const smaller = (ratio: number, runs?: readonly number[]): BenchResult => ({
  ...faster(ratio, runs),
  name: 'size',
  target: { atMost: 1 },
})
const changeOf = (now: BenchResult, before: BenchResult) => compared([now], [before])[0]?.change

it('repetitions become one result with the median, the words of the one in the middle, and the median of each figure', () => {
  const [result, ...others] = combined([
    [{ ...faster(0.7), figures: { recordsPerS: 700 } }],
    [{ ...faster(0.5), figures: { recordsPerS: 500 } }],
    [{ ...faster(0.6), figures: { recordsPerS: 600 } }],
  ])
  expect(others).toEqual([])
  expect(result).toEqual({ ...faster(0.6, [0.7, 0.5, 0.6]), figures: { recordsPerS: 600 } })
})

it('a single repetition keeps the spread that it has in itself', () => {
  expect(combined([[faster(0.6, [0.5, 0.6, 0.7])]])).toEqual([faster(0.6, [0.5, 0.6, 0.7])])
})

it('the spread of few repetitions is from the least to the greatest, of many between the quartiles', () => {
  expect(spreadOf([3, 1, 2])).toEqual({ low: 1, high: 3, runs: 3 })
  expect(spreadOf([1, 2, 3, 4, 5, 6, 7, 8, 100])).toEqual({ low: 3, high: 7, runs: 9 })
  expect(quantile([1, 2], 0.5)).toBe(1.5)
})

it('something is worse than before only beyond the spread of both, whichever way is better', () => {
  expect(changeOf(faster(0.5, [0.45, 0.5, 0.55]), faster(0.7, [0.6, 0.7, 0.8]))).toBe('worse')
  expect(changeOf(faster(0.5, [0.45, 0.5, 0.65]), faster(0.7, [0.6, 0.7, 0.8]))).toBe('within the spread')
  expect(changeOf(faster(0.9, [0.85, 0.95]), faster(0.7, [0.6, 0.8]))).toBe('better')
  expect(changeOf(smaller(0.9, [0.85, 0.95]), smaller(0.7, [0.6, 0.8]))).toBe('worse')
  expect(changeOf(smaller(0.5, [0.45, 0.55]), smaller(0.7, [0.6, 0.8]))).toBe('better')
})

it('a result that was measured once may differ by some percent', () => {
  expect(changeOf(smaller(0.8), smaller(0.7))).toBe('within the spread')
  expect(changeOf(smaller(1), smaller(0.7))).toBe('worse')
})

it('a run is good when every target is met and nothing got worse; the table shows both', () => {
  const before = [faster(0.9, [0.89, 0.91])]
  const now = [faster(0.6, [0.59, 0.61]), smaller(1.2)]
  const comparisons = compared(now, before)
  expect(isGood([faster(0.6)], compared([faster(0.6)], []))).toBe(true)
  expect(isGood([faster(0.4)], [])).toBe(false)
  expect(isGood([now[0] ?? faster(0)], comparisons)).toBe(false)
  expect(whatGotWorse(comparisons, '1.0.0')).toEqual(['Worse than 1.0.0 beyond the spread: ingest, 0.900 to 0.600.'])
  expect(resultTable(now, comparisons).split('\n').slice(1)).toEqual([
    expect.stringMatching(/^ok +ingest +0.600 +0.590 to 0.610 +at least 0.5 +0.900 +worse$/),
    expect.stringMatching(/^MISSED +size +1.20 +at most 1$/),
  ])
})

it('a benchmark that is chosen brings along those that store what it reads', () => {
  expect([...chosenNames(['vehicle'])]).toEqual(['vehicle', 'http'])
  expect(chosenNames([]).has('ordinary-load')).toBe(true)
})

it('the page about scale shows the newest recorded results', () => {
  const recording = newestRecording()
  if (!recording) throw new Error('nothing is recorded')
  const page = readFileSync(SCALE_PAGE, 'utf8')
  expect(withRecording(page, recording)).toBe(page)
})
