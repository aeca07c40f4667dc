import { describe, expect, it } from 'vitest'
import { newestFirst, withChanges, withPage } from './synced-list.ts'

const HOUR_MS = 3_600_000

/** An object that begins at an hour since 1970; its revision says when it changed. */
const one = (id: number, hour: number, revision: number) => ({
  id: String(id),
  begin: new Date(hour * HOUR_MS).toISOString(),
  modifyTimestamp: `2026-01-01T00:00:00.${String(revision).padStart(6, '0')}Z`,
})
type One = ReturnType<typeof one>

const startOf = ({ begin }: One) => begin
const from = (hour: number) => ({ fromMs: hour * HOUR_MS, startOf })
const page = (objects: One[], next?: string) => ({ objects, next, modifyTimestamp: 's1' })
const shown = (list: ReturnType<typeof withPage<One>>, toMs?: number) =>
  newestFirst(list, startOf, toMs).map(({ id }) => id)

describe('a list that is followed', () => {
  it('shows pages of older ones behind newer ones, the newest first', () => {
    const first = withPage(undefined, page([one(4, 8, 1), one(5, 9, 1)], '/older'), from(0))
    expect(first.next).toBe('/older')
    const both = withPage(first, page([one(2, 6, 1), one(3, 6, 1)]), from(0))
    expect(both.next).toBeUndefined()
    expect(shown(both)).toEqual(['5', '4', '3', '2'])
  })

  it('ends with the page that reaches before the range, and shows none from before it', () => {
    const list = withPage(undefined, page([one(1, 1, 1), one(2, 3, 1)], '/older'), from(2))
    expect(list.next).toBeUndefined()
    expect(shown(list)).toEqual(['2'])
  })

  it('keeps the later state of each whatever reply comes last, and asks on behind the changes', () => {
    const list = withPage(undefined, page([one(5, 5, 1)], '/older'), from(0))
    const changed = withChanges(list, [one(1, 2, 7), one(6, 6, 8)], 's2')
    const late = withPage(changed, page([one(1, 1, 3)]), from(0))
    expect(late.modifyTimestamp).toBe('s2')
    expect(late.objects.get('1')).toEqual(one(1, 2, 7))
    expect(shown(late)).toEqual(['6', '5', '1'])
  })

  it('shows a changed one from before what was read only when the pages got there', () => {
    const list = withPage(undefined, page([one(5, 5, 1)], '/older'), from(0))
    const changed = withChanges(list, [one(1, 1, 2)], 's2')
    expect(shown(changed)).toEqual(['5'])
    expect(shown(withPage(changed, page([one(1, 1, 2), one(2, 2, 1)]), from(0)))).toEqual(['5', '2', '1'])
  })

  it('leaves out what begins after the range by a change', () => {
    const list = withPage(undefined, page([one(1, 1, 1)]), from(0))
    expect(shown(withChanges(list, [one(1, 9, 2)], 's2'), 5 * HOUR_MS)).toEqual([])
  })
})
