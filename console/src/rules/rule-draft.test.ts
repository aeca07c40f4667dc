import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Rule } from '../api/types.ts'
import { MADE_KIND } from './made-kind.ts'
import {
  askedBy,
  daysOf,
  draftOf,
  draftOfRule,
  faultsOf,
  isOverMidnight,
  isWholeRow,
  rowsOf,
  ruleToSave,
  withKind,
} from './rule-draft.ts'

const NOON_MS = new Date(2026, 0, 15, 12).getTime()
const draft = {
  ...draftOf(MADE_KIND, 'Europe/Berlin'),
  values: { ...draftOf(MADE_KIND, '').values, eventType: 'GPS_SPEED' },
}
const faults = (changed: object) => Object.fromEntries(faultsOf({ ...draft, ...changed }, MADE_KIND, NOON_MS).entries())
const value = (name: string, text: string) => ({ values: { ...draft.values, [name]: text } })

it('begins with the defaults of the kind, for all cars, always, from now on', () => {
  expect(ruleToSave(draft, MADE_KIND)).toEqual({
    name: 'Speeding in an area',
    kind: 'SPEEDING_IN_AREA',
    parameters: { areas: [], limitKmh: 30, times: 0, isStrict: false, strength: 'ANY', eventType: 'GPS_SPEED' },
    severity: 'warning',
    vehicleIds: null,
    hours: null,
  })
  expect(faults({})).toEqual({})
})

it('names each field that is wrong, with the range', () => {
  expect(faults({ values: draftOf(MADE_KIND, '').values })).toEqual({ 'values.eventType': { kind: 'missing' } })
  expect(faults(value('limitKmh', 'fast'))).toEqual({ 'values.limitKmh': { kind: 'number' } })
  expect(faults(value('limitKmh', '4,5'))).toEqual({ 'values.limitKmh': { kind: 'range', minimum: 5, maximum: 250 } })
  expect(faults(value('times', '1.5'))).toEqual({ 'values.times': { kind: 'integer' } })
  expect(faults({ name: ' ', vehicleIds: [], hours: [], fromDay: '2026-01-16' })).toEqual({
    name: { kind: 'name' },
    vehicleIds: { kind: 'cars' },
    hours: { kind: 'hours' },
    fromDay: { kind: 'from' },
  })
})

it('takes numbers with a comma, hours over midnight, and a day in the past', () => {
  const wanted = {
    ...draft,
    ...value('limitKmh', '49,5'),
    hours: [{ days: [4], from: '22:00', to: '05:00' }],
    fromDay: '2026-01-01',
  }
  expect(faultsOf(wanted, MADE_KIND, NOON_MS).size).toBe(0)
  expect(ruleToSave(wanted, MADE_KIND)).toMatchObject({
    parameters: { limitKmh: 49.5 },
    hours: {
      timeZone: 'Europe/Berlin',
      days: [[], [], [], [], [{ from: '22:00', to: '24:00' }], [{ from: '00:00', to: '05:00' }], []],
    },
    fromTimestamp: new Date(2026, 0, 1).toISOString(),
  })
})

it('shows a saved rule as it was saved', () => {
  const asked = askedBy(
    { ...draft, vehicleIds: ['VIN1'], hours: [{ days: [0], from: '06:00', to: '18:00' }] },
    MADE_KIND,
  )
  const rule: Rule = {
    ...asked,
    id: '7',
    name: 'Yard',
    version: 1,
    fromTimestamp: '',
    createdTimestamp: '',
    deleteTimestamp: null,
    modifyTimestamp: '',
  }
  expect(askedBy(draftOfRule(rule, MADE_KIND, 'UTC'), MADE_KIND)).toEqual(asked)
})

it('of another kind keeps what the person entered', () => {
  const other = { ...MADE_KIND, name: 'TOWED' as const, title: 'Towed', parameters: [] }
  expect(withKind({ ...draft, vehicleIds: ['VIN1'] }, MADE_KIND, other)).toMatchObject({
    name: 'Towed',
    kind: 'TOWED',
    values: {},
    vehicleIds: ['VIN1'],
  })
  expect(withKind({ ...draft, name: 'Mine' }, MADE_KIND, other).name).toBe('Mine')
})

const WORKDAYS = [0, 1, 2, 3, 4]

it('gives each day its hours, and the night to both of its days', () => {
  expect(daysOf([{ days: WORKDAYS, from: '06:00', to: '18:00' }]).map(day => day.length)).toEqual([1, 1, 1, 1, 1, 0, 0])
  expect(daysOf([{ days: [6], from: '20:00', to: '06:00' }])).toEqual([
    [{ from: '00:00', to: '06:00' }],
    [],
    [],
    [],
    [],
    [],
    [{ from: '20:00', to: '24:00' }],
  ])
  expect(isOverMidnight({ days: [6], from: '20:00', to: '06:00' })).toBe(true)
  expect(isOverMidnight({ days: [6], from: '20:00', to: '00:00' })).toBe(false)
})

it('joins hours that overlap', () => {
  const [monday] = daysOf([
    { days: [0], from: '08:00', to: '12:00' },
    { days: [0], from: '10:00', to: '14:00' },
    { days: [0], from: '16:00', to: '00:00' },
  ])
  expect(monday).toEqual([
    { from: '08:00', to: '14:00' },
    { from: '16:00', to: '24:00' },
  ])
})

it('shows saved hours in few rows', () => {
  const rows = [
    { days: WORKDAYS, from: '20:00', to: '06:00' },
    { days: [5, 6], from: '00:00', to: '00:00' },
  ]
  expect(rowsOf(daysOf([{ days: WORKDAYS, from: '06:00', to: '18:00' }]))).toEqual([
    { days: WORKDAYS, from: '06:00', to: '18:00' },
  ])
  expect(daysOf(rowsOf(daysOf(rows)))).toEqual(daysOf(rows))
})

const clock = fc
  .integer({ min: 0, max: 47 })
  .map(half => `${String(half >> 1).padStart(2, '0')}:${half % 2 ? '30' : '00'}`)
const row = fc.record({
  days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
  from: clock,
  to: clock,
})

it('means the same after it was saved and shown again', () => {
  fc.assert(
    fc.property(fc.array(row.filter(isWholeRow), { maxLength: 4 }), rows => {
      const saved = daysOf(rows)
      expect(daysOf(rowsOf(saved))).toEqual(saved)
    }),
  )
})
