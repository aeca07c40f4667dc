import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { takingTurns } from './in-turn.ts'

describe('turns', () => {
  it('go to at most so many at once, in the order in which they came, also after one that failed', async () => {
    const inTurn = takingTurns(2)
    const begun: number[] = []
    let running = 0
    let mostRunning = 0
    const works = Array.from({ length: 6 }, (_, index) =>
      inTurn(async () => {
        begun.push(index)
        mostRunning = Math.max(mostRunning, ++running)
        await sleep(5)
        running--
        if (index === 1) throw new Error('failed')
        return index
      }),
    )
    const ends = await Promise.allSettled(works)
    expect(ends.map(end => (end.status === 'fulfilled' ? end.value : 'failed'))).toEqual([0, 'failed', 2, 3, 4, 5])
    expect(begun).toEqual([0, 1, 2, 3, 4, 5])
    expect(mostRunning).toBe(2)
  })
})
