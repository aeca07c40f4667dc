import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { overlap, WEEK_MS, weekStartMs } from '../model/time-range.ts'
import {
  missingTable,
  partitionName,
  partitionStartMs,
  spanOfTable,
  type TableSpan,
  weekSpanAt,
  yearSpanAt,
} from './tables.ts'

describe('tables of samples', () => {
  const time = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2100, 0, 1) })

  it('say by their names what they hold', () => {
    fc.assert(
      fc.property(time, timeMs => {
        for (const span of [weekSpanAt(timeMs), yearSpanAt(timeMs)]) {
          expect(spanOfTable(span.name)).toEqual(span)
          expect(span.fromMs).toBeLessThanOrEqual(timeMs)
          expect(span.toMs).toBeGreaterThan(timeMs)
        }
        expect(yearSpanAt(timeMs).fromMs).toBeLessThanOrEqual(weekSpanAt(timeMs).fromMs)
        expect(yearSpanAt(timeMs).toMs).toBeGreaterThanOrEqual(weekSpanAt(timeMs).toMs)
      }),
    )
    expect(spanOfTable('samples_2003')).toEqual({
      name: 'samples_2003',
      fromMs: Date.UTC(2002, 11, 30),
      toMs: Date.UTC(2003, 11, 29),
    })
    expect(spanOfTable('samples_pkey')).toBeUndefined()
  })

  it('never overlap, hold every time that came, and are few however old that is', () => {
    const nowMs = Date.UTC(2026, 10, 22)
    const yearlyBeforeMs = nowMs - 182 * 24 * 3600 * 1000
    const arriving = fc.array(fc.integer({ min: Date.UTC(2000, 0, 1), max: nowMs }), { maxLength: 400 })
    fc.assert(
      fc.property(arriving, timesMs => {
        const tables: TableSpan[] = []
        for (const timeMs of timesMs) {
          const missing = missingTable(timeMs, tables, yearlyBeforeMs)
          expect(tables.some(table => missing && overlap(table, missing))).toBe(false)
          if (missing) tables.push(missing)
          expect(tables.some(({ fromMs, toMs }) => fromMs <= timeMs && timeMs < toMs)).toBe(true)
        }
        // 47 weeks of this year and 27 years: that of 1 January 2000 is still 1999.
        expect(tables.length).toBeLessThanOrEqual(47 + 27)
      }),
    )
  })

  it('stay weeks where there are weeks of the year already', () => {
    const [first, second] = [weekSpanAt(Date.UTC(2003, 5, 1)), weekSpanAt(Date.UTC(2003, 8, 1))]
    const longAgo = Date.UTC(2026, 0, 1)
    expect(missingTable(second.fromMs, [first], longAgo)).toEqual(second)
    expect(missingTable(second.fromMs, [second], longAgo)).toBeUndefined()
    expect(missingTable(second.fromMs, [], longAgo)).toEqual(yearSpanAt(second.fromMs))
    expect(missingTable(second.fromMs, [], Date.UTC(2003, 0, 1))).toEqual(second)
  })
})

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
