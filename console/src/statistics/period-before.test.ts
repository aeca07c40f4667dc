import { describe, expect, it } from 'vitest'
import { periodBefore } from './period-before.ts'
import { periodOf } from './statistics-search.ts'

const local = (month: number, day: number, hour = 0, minute = 0) =>
  new Date(2026, month - 1, day, hour, minute).getTime()

describe('the period before', () => {
  const nowMs = local(11, 20, 10, 30)

  it('of the last 30 days is the 30 days before them, up to the same time of day', () => {
    const period = periodOf({}, local(11, 20))
    expect(period.fromMs).toBe(local(10, 22))
    const before = periodBefore(period, nowMs)
    expect(before.fromMs).toBe(local(9, 22))
    const passedMs = Math.floor((nowMs - period.fromMs) / 3_600_000) * 3_600_000
    expect(before.toMs).toBe(local(9, 22) + passedMs - 1)
  })

  it('of the last months is as many months before, however long they are', () => {
    const period = periodOf({ preset: 'months' }, local(11, 20))
    expect(periodBefore(period, nowMs).fromMs).toBe(new Date(2024, 11, 1).getTime())
  })

  it('of days of one’s own is as many days before, whatever their bins are', () => {
    const period = periodOf({ from: '2026-03-20', to: '2026-04-02', by: 'WEEK' }, nowMs)
    const before = periodBefore(period, nowMs)
    expect([before.fromMs, before.toMs]).toEqual([local(3, 6), local(3, 20) - 1])
  })

  it('never reaches into the period itself', () => {
    const period = periodOf({ preset: 'years' }, local(11, 20))
    expect(periodBefore(period, nowMs).toMs).toBeLessThan(period.fromMs)
  })
})
