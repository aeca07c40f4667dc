import { describe, expect, it } from 'vitest'
import { lowPriority } from './histories.ts'

describe('work at low priority', () => {
  it.each([
    ['takes a quarter of the time at most', false, 0.25],
    ['hardly takes any while there is something more urgent', true, 0.035],
  ])('%s', async (_, isBusy, most) => {
    const startedMs = performance.now()
    await lowPriority(() => isBusy, new AbortController().signal).restAfter(20)
    const restedMs = performance.now() - startedMs
    // Timers may be a millisecond early.
    expect(20 / (20 + restedMs + 1)).toBeLessThanOrEqual(most)
  })

  it('rests no more when everything stops', async () => {
    const stop = new AbortController()
    const pace = lowPriority(() => true, stop.signal)
    const startedMs = performance.now()
    const rest = pace.restAfter(1000)
    stop.abort()
    await rest
    await pace.restAfter(1000)
    expect(performance.now() - startedMs).toBeLessThan(5000)
  })
})
