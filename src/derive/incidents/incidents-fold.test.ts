import { describe, expect, it } from 'vitest'
import { incidentsIn, ruleOf, rulesOf } from '../../../test/found-incidents.ts'
import { at, every, NOON_MS, place } from '../../../test/trip-samples.ts'
import type { Sample } from '../../model/sample.ts'
import type { RulesOfDevice } from '../rules/rule-book.ts'
import { type IncidentsState, incidentsPart } from './incidents-fold.ts'

const fast = (fromS: number, toS: number) =>
  every(10, fromS, toS, seconds => ({
    IS_IGNITION_ON: true,
    VEHICLE_SPEED_AVERAGE: 120,
    POSITION: place(0, seconds * 33),
  }))

const limit = ruleOf('SPEEDING', { limitKmh: 100 })

function stateAfter(rules: RulesOfDevice, samples: readonly Sample[]) {
  const part = incidentsPart(rules)
  return samples.reduce<IncidentsState | null>((state, sample) => part.step(state, sample).state, null)
}

const spans = (rules: RulesOfDevice, samples: readonly Sample[]) =>
  incidentsIn(rules, samples).map(({ ruleId, ruleVersion, startMs, endMs }) => [
    `${ruleId}.${ruleVersion}`,
    (startMs - NOON_MS) / 1000,
    endMs === null ? null : (endMs - NOON_MS) / 1000,
  ])

const second = (seconds: number) => NOON_MS + seconds * 1000

it('without rules there is no state', () => {
  for (const rules of [
    { assignments: [] },
    rulesOf([]),
    rulesOf([{ ...limit, toMs: second(0) }]),
    rulesOf([{ ...limit, fromMs: second(101) }]),
    rulesOf([{ ...limit, vehicleIds: [2] }]),
    { assignments: [{ fromMs: second(101), toMs: Infinity, vehicleId: 1, book: { rules: [limit], areas: [] } }] },
  ])
    expect(stateAfter(rules, fast(0, 100))).toBeNull()
})

describe('a rule', () => {
  it('of another vehicle says nothing', () => {
    expect(spans(rulesOf([{ ...limit, vehicleIds: [2, 3] }]), fast(0, 100))).toEqual([])
    expect(spans(rulesOf([{ ...limit, vehicleIds: [1, 3] }]), fast(0, 100))).toEqual([['1.1', 0, null]])
  })

  it('begins and ends at its times', () => {
    expect(spans(rulesOf([{ ...limit, fromMs: second(40), toMs: second(70) }]), fast(0, 100))).toEqual([
      ['1.1', 40, 60],
    ])
  })

  it('that changed begins anew, and what went on under the version before has ended', () => {
    const versions = [
      { ...limit, toMs: second(50) },
      { ...limit, version: 2, fromMs: second(50), parameters: { limitKmh: 110 } },
    ]
    expect(spans(rulesOf(versions), fast(0, 100))).toEqual([
      ['1.1', 0, 40],
      ['1.2', 50, null],
    ])
  })

  it.each<[string, readonly (readonly [toS: number, forMinutes: number])[], (string | number | null)[]]>([
    [
      'a version that held for long enough',
      [
        [4000, 60],
        [Infinity, 600],
      ],
      ['1.1', 0, 40_000],
    ],
    [
      'the next one, where the silence was too short for the first',
      [
        [600, 60],
        [Infinity, 120],
      ],
      ['1.2', 0, 40_000],
    ],
    [
      'the third, where it was too short for two',
      [
        [600, 60],
        [1200, 120],
        [Infinity, 30],
      ],
      ['1.3', 0, 40_000],
    ],
  ])('about silence finds it by %s, before and after the next sample', (_, versions, expected) => {
    let fromMs = -Infinity
    const book = versions.map(([toS, forMinutes], index) => {
      const toMs = second(toS)
      const version = { ...ruleOf('OFFLINE', { forMinutes }), version: index + 1, fromMs, toMs }
      fromMs = toMs
      return version
    })
    const rules = rulesOf(book)
    const [first, last] = [at(0, { IS_IGNITION_ON: false }), at(40_000, { IS_IGNITION_ON: false })]
    const part = incidentsPart(rules)
    const open = part.silentUntil(stateAfter(rules, [first]), second(39_000))
    const [name, start, end] = expected
    expect(open.map(({ ruleVersion, startMs, endMs }) => [`1.${ruleVersion}`, startMs - NOON_MS, endMs])).toEqual([
      [name, start, null],
    ])
    expect(spans(rules, [first, last])).toEqual([[name, start, end]])
  })

  it('about silence finds none where none of its versions held for long enough, nor where it held with a break', () => {
    const silent = [at(0, { IS_IGNITION_ON: false }), at(40_000, { IS_IGNITION_ON: false })]
    const held = { ...ruleOf('OFFLINE', { forMinutes: 60 }), toMs: second(600) }
    expect(spans(rulesOf([held]), silent)).toEqual([])
    expect(spans(rulesOf([held, { ...held, version: 2, fromMs: second(700), toMs: Infinity }]), silent)).toEqual([])
  })

  it('about silence ends with its car', () => {
    const book = { rules: [ruleOf('OFFLINE', { forMinutes: 60 })], areas: [] }
    const moved = {
      assignments: [
        { fromMs: -Infinity, toMs: second(7200), vehicleId: 1, book },
        { fromMs: second(7200), toMs: Infinity, vehicleId: 2, book },
      ],
    }
    expect(spans(moved, [at(0, {}), at(40_000, {})])).toEqual([['1.1', 0, 7200]])
  })

  it('about silence finds what began in its hours, also when the next sample comes after them', () => {
    const days = Array.from({ length: 7 }, () => [{ fromMinute: 12 * 60, toMinute: 13 * 60 }])
    const rule = { ...ruleOf('OFFLINE', { forMinutes: 60 }), hours: { timeZone: 'UTC', days } }
    expect(spans(rulesOf([rule]), [at(0, {}), at(40_000, {})])).toEqual([['1.1', 0, 40_000]])
  })

  it('goes on when another one comes or goes', () => {
    const other = { ...limit, ruleId: 2, fromMs: second(30), toMs: second(70) }
    expect(spans(rulesOf([limit, other]), fast(0, 100))).toEqual([
      ['1.1', 0, null],
      ['2.1', 30, 60],
    ])
  })

  it('applies in its hours', () => {
    const days = Array.from({ length: 7 }, () => [{ fromMinute: 12 * 60 + 1, toMinute: 12 * 60 + 2 }])
    const rule = { ...limit, hours: { timeZone: 'UTC', days } }
    expect(spans(rulesOf([rule]), fast(0, 300))).toEqual([['1.1', 60, 110]])
  })

  it('begins anew in another car', () => {
    const book = { rules: [limit], areas: [] }
    const moved = {
      assignments: [
        { fromMs: -Infinity, toMs: second(50), vehicleId: 1, book },
        { fromMs: second(50), toMs: Infinity, vehicleId: 2, book },
      ],
    }
    expect(spans(moved, fast(0, 100))).toEqual([
      ['1.1', 0, 40],
      ['1.1', 50, null],
    ])
  })

  it('says nothing of a dongle out of its socket', () => {
    const pulled = every(10, 55, 60, () => ({ IS_DONGLE_PLUGGED_IN: false }))
    const carried = every(10, 65, 100, seconds => ({ GPS_SPEED: 130, POSITION: place(0, seconds * 33) }))
    const rule = { ...limit }
    expect(spans(rulesOf([rule]), [...fast(0, 50), ...pulled, ...carried])).toEqual([['1.1', 0, 50]])
  })
})

it('states are equal under the same versions, whatever else is in the book, and differ under others', () => {
  const samples = fast(0, 100)
  const state = stateAfter(rulesOf([limit]), samples)
  const later = { ...limit, ruleId: 9, fromMs: second(1000) }
  const changedLater = [
    { ...limit, toMs: second(1000) },
    { ...limit, version: 2, fromMs: second(1000) },
  ]
  expect(stateAfter(rulesOf([limit, later]), samples)).toEqual(state)
  expect(stateAfter(rulesOf(changedLater), samples)).toEqual(state)
  expect(stateAfter(rulesOf([{ ...limit, version: 2 }]), samples)).not.toEqual(state)
  expect(stateAfter(rulesOf([limit, { ...limit, ruleId: 2 }]), samples)).not.toEqual(state)
  expect(stateAfter(rulesOf([limit], [], 2), samples)).not.toEqual(state)
})
