import { describe, expect, it } from 'vitest'
import type { Trip } from '../api/types.ts'
import { shownTrips, totalsOf, tripLines, withChanges, withPage } from './trip-list.ts'

const HOUR_MS = 3_600_000
const at = (hour: number) => new Date(hour * HOUR_MS).toISOString()

/** A trip that begins at an hour since 1970; its revision says when it changed. */
function trip(id: number, hour: number, revision: number, changed: Partial<Trip> = {}): Trip {
  return {
    id: String(id),
    deviceId: 1,
    vehicleId: 'IMEI_1',
    tripStartAddress: null,
    tripEndAddress: null,
    distance: 1.1,
    duration: 60,
    tripStartTimestamp: at(hour),
    tripEndTimestamp: at(hour),
    aggregations: [],
    deleteTimestamp: null,
    modifyTimestamp: `2026-01-01T00:00:00.${String(revision).padStart(6, '0')}Z`,
    ...changed,
  }
}

const open = { fromMs: 0, toMs: undefined }
const idsOf = (trips: readonly Trip[]) => trips.map(({ id }) => id)
const page = (trips: Trip[], next?: string, modifyTimestamp = 's1') => ({ trips, next, modifyTimestamp })

describe('a list of trips', () => {
  it('shows pages of older trips behind newer ones, the newest first', () => {
    const first = withPage(undefined, page([trip(4, 8, 1), trip(5, 9, 1)], '/older'), 0)
    expect(first.next).toBe('/older')
    const both = withPage(first, page([trip(2, 6, 1), trip(3, 6, 1)]), 0)
    expect(both.next).toBeUndefined()
    expect(idsOf(shownTrips(both, open))).toEqual(['5', '4', '3', '2'])
  })

  it('ends with the page that reaches before the range, and shows none from before it', () => {
    const list = withPage(undefined, page([trip(1, 1, 1), trip(2, 3, 1)], '/older'), 2 * HOUR_MS)
    expect(list.next).toBeUndefined()
    expect(idsOf(shownTrips(list, { fromMs: 2 * HOUR_MS, toMs: undefined }))).toEqual(['2'])
  })

  it('takes changes in: new, changed and deleted trips, and asks on behind them', () => {
    const list = withPage(undefined, page([trip(1, 1, 1), trip(2, 2, 1)]), 0)
    const changed = withChanges(list, {
      trips: [trip(1, 1, 2, { distance: 9 }), trip(2, 2, 3, { deleteTimestamp: at(5) }), trip(3, 3, 4)],
      modifyTimestamp: 's2',
    })
    expect(shownTrips(changed, open).map(({ id, distance }) => [id, distance])).toEqual([
      ['3', 1.1],
      ['1', 9],
    ])
    expect(changed.modifyTimestamp).toBe('s2')
  })

  it('keeps the later state of a trip whatever reply comes last', () => {
    const list = withPage(undefined, page([trip(5, 5, 1)], '/older'), 0)
    const deleted = withChanges(list, { trips: [trip(1, 1, 7, { deleteTimestamp: at(5) })], modifyTimestamp: 's2' })
    const late = withPage(deleted, page([trip(1, 1, 3)]), 0)
    expect(idsOf(shownTrips(late, open))).toEqual(['5'])
    expect(late.modifyTimestamp).toBe('s2')
  })

  it('shows a changed trip from before what was loaded only when the pages got there', () => {
    const list = withPage(undefined, page([trip(5, 5, 1)], '/older'), 0)
    const changed = withChanges(list, { trips: [trip(1, 1, 2)], modifyTimestamp: 's2' })
    expect(idsOf(shownTrips(changed, open))).toEqual(['5'])
    expect(idsOf(shownTrips(withPage(changed, page([trip(1, 1, 2), trip(2, 2, 1)]), 0), open))).toEqual(['5', '2', '1'])
  })

  it('leaves out what begins after the range by a change', () => {
    const list = withPage(undefined, page([trip(1, 1, 1)]), 0)
    const moved = withChanges(list, { trips: [trip(1, 9, 2)], modifyTimestamp: 's2' })
    expect(shownTrips(moved, { fromMs: 0, toMs: 5 * HOUR_MS })).toEqual([])
  })

  it('adds up exactly', () => {
    expect(totalsOf([trip(1, 1, 1), trip(2, 2, 1), trip(3, 3, 1)])).toEqual({
      count: 3,
      distanceKm: 3.3,
      durationS: 180,
    })
  })

  it('has trips under the day on which they began here, whatever UTC says', () => {
    const began = (id: number, day: number, hour: number) =>
      trip(id, 0, 1, { tripStartTimestamp: new Date(2026, 9, day, hour).toISOString() })
    expect(tripLines([began(3, 25, 23), began(2, 25, 0), began(1, 24, 23)], ({ id }) => id)).toEqual([
      { id: '2026-10-25', day: '2026-10-25' },
      '3',
      '2',
      { id: '2026-10-24', day: '2026-10-24' },
      '1',
    ])
  })
})
