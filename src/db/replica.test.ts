import { expect, it } from 'vitest'
import { Marks } from './replica.ts'

it('knows nothing until a place is replayed', () => {
  const marks = new Marks()
  marks.add({ atMs: 1000, lsn: '0/10' })
  marks.replayed(0)
  expect(marks.replayedMs).toBeUndefined()
  expect(marks.lsns).toEqual(['0/10'])
})

it('a replica has everything until the last place that it replayed', () => {
  const marks = new Marks()
  for (const second of [1, 2, 3]) marks.add({ atMs: second * 1000, lsn: `0/${second}0` })
  marks.replayed(2)
  expect(marks.replayedMs).toBe(2000)
  expect(marks.lsns).toEqual(['0/30'])
  marks.replayed(0)
  expect(marks.replayedMs).toBe(2000)
})

it('a replica that stands still for hours takes no memory, and is known again when it has caught up', () => {
  const marks = new Marks()
  for (let second = 0; second < 10_000; second++) marks.add({ atMs: second * 1000, lsn: `0/${second}` })
  expect(marks.lsns.length).toBeLessThan(200)
  expect(marks.lsns.at(-1)).toBe('0/9999')
  marks.replayed(marks.lsns.length)
  expect(marks.replayedMs).toBe(9_999_000)
})

it('nothing is known any more of one that is unreachable', () => {
  const marks = new Marks()
  marks.add({ atMs: 1000, lsn: '0/10' })
  marks.replayed(1)
  marks.clear()
  expect(marks.replayedMs).toBeUndefined()
})
