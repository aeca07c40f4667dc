import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Rule, RuleKind } from '../api/types.ts'
import { changeProfile } from '../language/language.ts'
import { english } from '../translations/en.ts'
import {
  askedBy,
  daysOf,
  draftOf,
  faultsOf,
  isOverMidnight,
  isWholeRow,
  rowsOf,
  ruleToSave,
  withKind,
} from './rule-draft.ts'

type Parameter = RuleKind['parameters'][number]
const PLAIN = { reason: 'It is usual.', unit: null, minimum: null, maximum: null, choices: [] }
const parameter = (name: string, dataType: Parameter['dataType'], value: unknown, given: Partial<Parameter> = {}) => {
  return { ...PLAIN, name, dataType, label: name, defaultValue: JSON.parse(JSON.stringify(value)), ...given }
}

/** A kind of rules for tests, with parameters of every type. */
const MADE_KIND: RuleKind = {
  name: 'SPEEDING_IN_AREA',
  group: 'areas',
  title: 'Speeding in an area',
  description: 'The car is too fast.',
  severity: 'warning',
  hours: 'applies',
  peakUnit: 'km/h',
  parameters: [
    parameter('areas', 'areas', []),
    parameter('limitKmh', 'number', 30, { unit: 'km/h', minimum: 5, maximum: 250 }),
    parameter('times', 'integer', 0, { unit: '', minimum: 0, maximum: 15 }),
    parameter('isStrict', 'boolean', false),
    parameter('strength', 'enum', 'ANY', { choices: [{ value: 'ANY', label: 'Any' }] }),
    parameter('eventType', 'eventType', null),
  ],
}

const NOON_MS = new Date(2026, 0, 15, 12).getTime()
const begun = { ...draftOf(MADE_KIND), timeZone: 'Europe/Berlin' }
const draft = { ...begun, values: { ...begun.values, eventType: 'GPS_SPEED' } }
const SAVED: Rule = {
  ...askedBy(draft, MADE_KIND),
  id: '7',
  name: 'Yard',
  version: 1,
  fromTimestamp: '',
  createdTimestamp: '',
  deleteTimestamp: null,
  modifyTimestamp: '',
}
const words = english.rules.faults
const faults = (changed: object) => faultsOf({ ...draft, ...changed }, MADE_KIND, NOON_MS, words)
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
  expect(faults({ values: begun.values })).toEqual({ 'values.eventType': words.missing })
  expect(faults(value('limitKmh', 'fast'))).toEqual({ 'values.limitKmh': words.number })
  expect(faults(value('limitKmh', '4,5'))).toEqual({ 'values.limitKmh': words.range('5', '250') })
  expect(faults(value('times', '1.5'))).toEqual({ 'values.times': words.integer })
  const { name, cars: vehicleIds, hours, from: fromDay } = words
  const wrong = { name: ' ', vehicleIds: [], hours: [], fromDay: '2026-01-16' }
  expect(faults(wrong)).toEqual({ name, vehicleIds, hours, fromDay })
})

it('takes numbers with a comma, hours over midnight, and a day in the past', () => {
  const wanted = {
    ...draft,
    ...value('limitKmh', '49,5'),
    hours: [{ days: [4], from: '22:00', to: '05:00' }],
    fromDay: '2026-01-01',
  }
  expect(faults(wanted)).toEqual({})
  expect(ruleToSave(wanted, MADE_KIND)).toMatchObject({
    parameters: { limitKmh: 49.5 },
    hours: {
      timeZone: 'Europe/Berlin',
      days: [[], [], [], [], [{ from: '22:00', to: '24:00' }], [{ from: '00:00', to: '05:00' }], []],
    },
    fromTimestamp: new Date(2026, 0, 1).toISOString(),
  })
})

it('shows and takes numbers in the unit of the person', () => {
  changeProfile({ distance: 'mi' })
  const typed = (limitKmh: string) =>
    askedBy({ ...draft, ...value('limitKmh', limitKmh) }, MADE_KIND).parameters.limitKmh
  const shown = (limitKmh: number) => draftOf(MADE_KIND, { ...SAVED, parameters: { limitKmh } }).values.limitKmh
  expect([shown(130), typed('80.78'), typed('55'), shown(88.51)]).toEqual(['80.78', 130, 88.51, '55'])
  expect(faults(value('limitKmh', '3'))).toEqual({ 'values.limitKmh': words.range('3.1', '155.3') })
  for (const kmh of [5, 30, 49.5, 70, 120, 245, 30_000]) expect(typed(String(shown(kmh)))).toBe(kmh)
  changeProfile({ distance: 'km' })
})

it('shows a saved rule as it was saved', () => {
  const asked = askedBy(
    { ...draft, vehicleIds: ['VIN1'], hours: [{ days: [0], from: '06:00', to: '18:00' }] },
    MADE_KIND,
  )
  expect(askedBy(draftOf(MADE_KIND, { ...SAVED, ...asked }), MADE_KIND)).toEqual(asked)
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
  const rows = [{ days: WORKDAYS, from: '06:00', to: '18:00' }]
  expect(rowsOf(daysOf(rows))).toEqual(rows)
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
