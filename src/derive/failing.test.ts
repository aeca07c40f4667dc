import { describe, expect, it } from 'vitest'
import { TestClock } from '../../test/test-clock.ts'
import type { DeviceId } from '../model/sample.ts'
import { Failing } from './failing.ts'

const DEVICE = 1 as DeviceId

describe('a device that could not be reconciled', () => {
  const clock = new TestClock()

  /** Fails as soon as it is tried again, for an hour. */
  function failForAnHour(failing: Failing, isPassing: boolean): number {
    let attempts = 0
    for (const untilMs = clock.monotonicMs() + 3_600_000; clock.monotonicMs() < untilMs; clock.advance(1000))
      if (!failing.resting().includes(DEVICE)) {
        failing.failed(DEVICE, isPassing)
        attempts++
      }
    return attempts
  }

  it('is tried ever more seldom when it is to blame', () => {
    expect(failForAnHour(new Failing(clock), false)).toBeLessThan(25)
  })

  it('is tried again within seconds when the database had no room for hours', () => {
    const failing = new Failing(clock)
    failForAnHour(failing, true)
    clock.advance(10_000)
    expect(failing.resting()).toEqual([])
  })

  it('starts with short pauses again once it was reconciled', () => {
    const failing = new Failing(clock)
    failForAnHour(failing, false)
    failing.succeeded(DEVICE)
    failing.failed(DEVICE, false)
    clock.advance(3000)
    expect(failing.resting()).toEqual([])
  })
})
