import { expect, it } from 'vitest'
import { stretchesOf } from './stretches.ts'

const span = (startMs: number, endMs: number) => ({ startMs, endMs })

it('spans hang together where each overlaps one before it; ends that touch are apart', () => {
  const long = span(0, 100)
  const inside = span(10, 20)
  const over = span(90, 110)
  const touching = span(110, 120)
  expect(stretchesOf([touching, over, inside, long])).toEqual([[long, inside, over], [touching]])
  expect(stretchesOf([])).toEqual([])
})
