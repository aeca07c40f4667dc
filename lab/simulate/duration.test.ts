import { expect, test } from 'vitest'
import { readDurationMs } from './command.ts'

test.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['1.5h', 5_400_000],
  ['7d', 604_800_000],
  ['7', undefined],
  ['d', undefined],
  ['-1h', undefined],
  ['1h30m', undefined],
])('%s', (text, ms) => {
  expect(readDurationMs(text)).toBe(ms)
})
