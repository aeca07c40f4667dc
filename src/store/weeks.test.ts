import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WEEK_MS, weekStartMs } from '../model/time-range.ts'
import { partitionName, partitionStartMs } from './tables.ts'

describe('a week of samples', () => {
  const time = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2200, 0, 1) })

  it('begins on the Monday, 00:00 UTC, at or before its times', () => {
    fc.assert(
      fc.property(time, timeMs => {
        const startMs = weekStartMs(timeMs)
        expect(startMs).toBeLessThanOrEqual(timeMs)
        expect(startMs + WEEK_MS).toBeGreaterThan(timeMs)
        expect(new Date(startMs).getUTCDay()).toBe(1)
        expect(new Date(startMs).toISOString()).toMatch(/T00:00:00\.000Z$/)
        expect(weekStartMs(startMs)).toBe(startMs)
        expect(weekStartMs(startMs - 1)).toBe(startMs - WEEK_MS)
      }),
    )
  })

  it('is known from the name of its table, and no other table is taken for one', () => {
    fc.assert(
      fc.property(time, timeMs => {
        const startMs = weekStartMs(timeMs)
        expect(partitionStartMs(partitionName(startMs))).toBe(startMs)
      }),
    )
    expect(partitionName(Date.UTC(2026, 10, 16))).toBe('samples_2026_11_16')
    for (const other of ['samples', 'samples_by_time', 'samples_2026_11_16_pkey', 'staged_samples', 'samples_26_11_16'])
      expect(partitionStartMs(other)).toBeUndefined()
  })
})
