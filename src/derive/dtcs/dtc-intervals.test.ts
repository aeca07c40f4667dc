import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyOrder } from '../../../test/any-sample.ts'
import {
  type CodeInterval,
  type CodeList,
  differenceOf,
  faultOf,
  intervalsOf,
  isAsKnown,
  readList,
  type StoredInterval,
  withStretch,
} from './dtc-intervals.ts'

/** `P0301 1-3` and, while it is current, `P0301 1-`; sorted. */
const said = (intervals: readonly CodeInterval[]) =>
  intervals.map(({ encoded, recordedMs, deletedMs }) => `${encoded} ${recordedMs}-${deletedMs ?? ''}`).sort()

const listsOf = (texts: Readonly<Record<number, string>>) =>
  Object.entries(texts).map(([timeMs, text]) => readList(Number(timeMs), text))

it.each<[string, Readonly<Record<number, string>>, string[]]>([
  ['none without lists', {}, []],
  ['begin with the first list that has the code', { 1: '', 2: 'P0301', 3: 'P0301' }, ['P0301 2-']],
  ['end with the first later list without it', { 1: 'P0301', 2: 'P0301', 3: '', 4: '' }, ['P0301 1-3']],
  ['start again when the code comes back', { 1: 'P0301', 2: '', 3: 'P0301' }, ['P0301 1-2', 'P0301 3-']],
  ['go their own ways', { 1: 'P0301', 2: 'P0301 P0420', 3: 'P0420' }, ['P0301 1-3', 'P0420 2-']],
  ['go on while nothing can be read', { 1: 'P0301', 2: 'NO DATA', 3: 'P0301', 4: '?' }, ['P0301 1-']],
  ['are written as the first list has it', { 1: '0301', 2: 'P0301', 3: '' }, ['0301 1-3']],
])('intervals of codes: %s', (_title, texts, expected) => {
  expect(said(intervalsOf(listsOf(texts)))).toEqual(expected)
})

const CODES = ['P0301', '0301', 'P0420', 'FF:P0301', 'U0100']
const anyText = fc.oneof(
  fc.subarray(CODES).map(codes => codes.join()),
  fc.constant('NO DATA'),
)
/** Lists of one series by their times. */
const anyLists = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 30 }), anyText), { selector: ([timeMs]) => timeMs, maxLength: 12 })
  .map(entries => entries.map(([timeMs, text]) => readList(timeMs, text)))

/** What a store does: keeps all lists, and brings the intervals up to date list after list. */
class Store {
  lists: CodeList[] = []
  intervals: StoredInterval[] = []
  #nextId = 1

  /** @param reach how many lists that did not change are looked at after the changed one */
  put(list: CodeList, reach: number): void {
    const wasThere = this.lists.some(({ timeMs }) => timeMs === list.timeMs)
    this.lists = [...this.lists.filter(({ timeMs }) => timeMs !== list.timeMs), list].sort(
      (a, b) => a.timeMs - b.timeMs,
    )
    if (!wasThere && isAsKnown(list, this.intervals)) return
    const from = this.lists.indexOf(list)
    // The last one must show what is current.
    const behind = this.lists.findIndex(({ codes }, index) => index >= from + reach && codes !== undefined)
    const goesOn = behind >= 0 && behind < this.lists.length - 1
    const lists = this.lists.slice(from, goesOn ? behind + 1 : undefined)
    const derived = withStretch(this.intervals, { fromMs: list.timeMs, lists, goesOn })
    const { added, changed, retracted } = differenceOf(this.intervals, derived)
    const isGone = new Set([...changed, ...retracted].map(({ id }) => id))
    this.intervals = [
      ...this.intervals.filter(({ id }) => !isGone.has(id)),
      ...changed,
      ...added.map(interval => ({ ...interval, id: this.#nextId++ })),
    ]
  }
}

it('the intervals of lists that come one after another are those of the set of lists, in whatever order they come, however little is looked at, also when some change', () => {
  fc.assert(
    fc.property(
      fc
        .tuple(anyLists, anyLists)
        .chain(([first, second]) =>
          fc.tuple(
            anyOrder(first),
            anyOrder(second),
            fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 30, maxLength: 30 }),
          ),
        ),
      ([first, second, reaches]) => {
        const store = new Store()
        for (const [index, list] of [...first, ...second].entries()) store.put(list, reaches[index] ?? 1)
        expect(said(store.intervals)).toEqual(said(intervalsOf(store.lists)))
      },
    ),
    { numRuns: 500 },
  )
})

describe('the difference to what is stored', () => {
  const stored = (...intervals: [id: number, recordedMs: number, deletedMs?: number][]): StoredInterval[] =>
    intervals.map(([id, recordedMs, deletedMs]) => ({ ...interval(recordedMs, deletedMs), id }))
  const interval = (recordedMs: number, deletedMs?: number): CodeInterval => ({
    code: 'P0301',
    encoded: 'P0301',
    encoding: 'PCODE',
    ecuTypeId: 1,
    isFreezeFrame: false,
    recordedMs,
    deletedMs,
  })

  it('is nothing where nothing differs', () => {
    const known = stored([1, 0, 5], [2, 7])
    expect(differenceOf(known, known)).toEqual({ added: [], changed: [], retracted: [] })
  })

  it('an end that moved keeps the id', () => {
    expect(differenceOf(stored([1, 0]), [interval(0, 5)])).toEqual({
      added: [],
      changed: stored([1, 0, 5]),
      retracted: [],
    })
  })

  it('after a merge the part that began first has the id, the other one never was', () => {
    expect(differenceOf(stored([1, 0, 5], [2, 7]), [interval(0)])).toEqual({
      added: [],
      changed: stored([1, 0]),
      retracted: stored([2, 7]),
    })
  })

  it('after a split the part that began first has the id', () => {
    expect(differenceOf(stored([1, 0]), [interval(0, 5), interval(7)])).toEqual({
      added: [interval(7)],
      changed: stored([1, 0, 5]),
      retracted: [],
    })
  })

  it('what does not overlap is another one', () => {
    expect(differenceOf(stored([1, 0, 5]), [interval(5, 7)])).toEqual({
      added: [interval(5, 7)],
      changed: [],
      retracted: stored([1, 0, 5]),
    })
  })

  it('applied to what is stored gives what was derived, every id once', () => {
    const anyIntervals = anyLists.map(lists => intervalsOf([...lists].sort((a, b) => a.timeMs - b.timeMs)))
    fc.assert(
      fc.property(anyIntervals, anyIntervals, (before, after) => {
        const known = before.map((item, index) => ({ ...item, id: index }))
        const { added, changed, retracted } = differenceOf(known, after)
        const touched = [...changed, ...retracted].map(({ id }) => id)
        expect(new Set(touched).size).toBe(touched.length)
        const now = [...known.filter(({ id }) => !touched.includes(id)), ...changed, ...added]
        expect(said(now)).toEqual(said(after))
        for (const { id, ...item } of changed) expect(faultOf(item)).toBe(known[id] && faultOf(known[id]))
      }),
    )
  })
})
