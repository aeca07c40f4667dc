import { describe, expect, it } from 'vitest'
import { createReplayClock } from './replay-clock.ts'

describe('the clock of a replay', () => {
  it('runs as fast as it is told, and stops at the end', () => {
    const clock = createReplayClock(0, 10_000)
    clock.setRate(2)
    clock.advance(1000)
    expect(clock.timeMs()).toBe(0)
    clock.play()
    clock.advance(1000)
    expect(clock.timeMs()).toBe(2000)
    clock.advance(60_000)
    expect([clock.timeMs(), clock.isPlaying()]).toEqual([10_000, false])
  })

  it('played at its end starts again', () => {
    const clock = createReplayClock(500, 10_000, 10_000)
    clock.play()
    expect([clock.timeMs(), clock.isPlaying()]).toEqual([500, true])
  })

  it('goes along with a trip that goes on, but only from its end', () => {
    const clock = createReplayClock(0, 10_000, 10_000)
    clock.setEnd(12_000)
    expect(clock.timeMs()).toBe(12_000)
    clock.seek(3000)
    clock.setEnd(14_000)
    expect(clock.timeMs()).toBe(3000)
  })
})
