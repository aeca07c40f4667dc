import { describe, expect, it } from 'vitest'
import { type VinRun } from '../trips/state.ts'
import { staysOf } from './placement.ts'

const NOBODY: ReadonlySet<string> = new Set()

/** A run that begins at that time; the last drive before it ended 10 ms earlier. */
function run(vin: string, firstMs: number, { times = 2, boundaryMs = firstMs - 10 } = {}): VinRun {
  return { vin, firstMs, boundaryMs, isConfirmed: times > 1 }
}
const stay = (vin: string, fromMs: number) => ({ vin, fromMs })
const ALWAYS = Number.NEGATIVE_INFINITY

describe('where a dongle was, by its VIN readings', () => {
  it('a VIN read twice is the car it was in from the beginning', () => {
    expect(staysOf([run('A', 100)], NOBODY)).toEqual([stay('A', ALWAYS)])
  })

  it('a single reading is not believed, unless an operator entered that VIN', () => {
    expect(staysOf([run('A', 100, { times: 1 })], NOBODY)).toEqual([])
    expect(staysOf([run('A', 100, { times: 1 })], new Set(['B']))).toEqual([])
    expect(staysOf([run('A', 100, { times: 1 })], new Set(['A']))).toEqual([stay('A', ALWAYS)])
  })

  it('another VIN is another car, from just after the drive before it', () => {
    expect(staysOf([run('A', 100), run('B', 200)], NOBODY)).toEqual([stay('A', ALWAYS), stay('B', 191)])
  })

  it('the same VIN again is the first car again', () => {
    const runs = [run('A', 100), run('B', 200), run('A', 300, { times: 1 }), run('A', 400)]
    expect(staysOf(runs, NOBODY)).toEqual([stay('A', ALWAYS), stay('B', 191), stay('A', 391)])
  })

  it('a misreading between two readings of the same VIN changes nothing', () => {
    const runs = [run('A', 100), run('X', 200, { times: 1 }), run('A', 300, { times: 1 })]
    expect(staysOf(runs, NOBODY)).toEqual([stay('A', ALWAYS)])
    // Also where readings of it came first and last only: they do not follow one another.
    expect(staysOf(runs.slice(1), NOBODY)).toEqual([])
  })

  it('without the end of a drive in between, the first reading tells when it moved', () => {
    const neverEnded = { boundaryMs: ALWAYS }
    expect(staysOf([run('A', 100, neverEnded), run('B', 200, neverEnded)], NOBODY)).toEqual([
      stay('A', ALWAYS),
      stay('B', 200),
    ])
    // What ended before A was read once more did not bring B.
    expect(
      staysOf([run('A', 100), run('X', 140, { times: 1 }), run('A', 150), run('B', 200, { boundaryMs: 120 })], NOBODY),
    ).toEqual([stay('A', ALWAYS), stay('B', 200)])
  })

  it('the sample that ended the drive is still of the car before, and the first reading never', () => {
    expect(staysOf([run('A', 100), run('B', 200, { boundaryMs: 199 })], NOBODY)[1]).toEqual(stay('B', 200))
    expect(staysOf([run('A', 100), run('B', 200, { boundaryMs: 100 })], NOBODY)[1]).toEqual(stay('B', 101))
  })
})
