import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchTrips } from './rows.ts'

const span = (startMs: number, endMs: number) => ({ startMs, endMs })
const row = (id: number, startMs: number, endMs: number) => ({ id, startMs, endMs })

/** Which row each trip continues, and which rows are none any more. */
function idsOf(trips: readonly ReturnType<typeof span>[], rows: readonly ReturnType<typeof row>[]) {
  const { kept, retracted } = matchTrips(trips, rows)
  return { kept: kept.map(item => item.row?.id), retracted: retracted.map(item => item.id) }
}

describe('trips that were folded again', () => {
  it('keep the row of the part that starts first when parts are merged', () => {
    expect(idsOf([span(0, 30)], [row(1, 0, 10), row(2, 20, 30)])).toEqual({ kept: [1], retracted: [2] })
  })

  it('keep the row with the original start when a trip is split', () => {
    expect(idsOf([span(0, 10), span(20, 30)], [row(1, 0, 30)])).toEqual({ kept: [1, undefined], retracted: [] })
  })

  it('keep their row when an end moves, and get a new one beside it when nothing overlaps', () => {
    expect(idsOf([span(5, 40)], [row(1, 10, 30)])).toEqual({ kept: [1], retracted: [] })
    expect(idsOf([span(5, 8), span(10, 30)], [row(1, 10, 30)])).toEqual({ kept: [undefined, 1], retracted: [] })
  })

  it('vanish when they are no trips any more', () => {
    expect(idsOf([], [row(1, 0, 10)])).toEqual({ kept: [], retracted: [1] })
  })

  const spans = fc
    .uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 12 })
    .map(times => times.sort((a, b) => a - b))
    .map(times =>
      times.flatMap((startMs, index) => {
        const endMs = times[index + 1]
        return index % 2 === 0 && endMs !== undefined ? [span(startMs, endMs)] : []
      }),
    )

  it('leave nothing to do when they are the same, and give every row to one trip at most', () => {
    fc.assert(
      fc.property(spans, spans, (trips, before) => {
        const rows = before.map((item, index) => row(index, item.startMs, item.endMs))
        const { kept, retracted } = matchTrips(trips, rows)
        const used = [...kept.flatMap(item => item.row ?? []), ...retracted].map(item => item.id)
        expect(used.sort((a, b) => a - b)).toEqual(rows.map(item => item.id))
        expect(matchTrips(before, rows)).toEqual({
          kept: before.map((trip, index) => ({ trip, row: rows[index] })),
          retracted: [],
        })
      }),
    )
  })
})
