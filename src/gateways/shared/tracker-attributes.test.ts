import { expect, test } from 'vitest'
import { readDocument } from '../../../test/document.ts'
import { eventTypeByName } from '../../catalogue/event-types.ts'
import {
  ALARMS,
  BOOLEAN_ATTRIBUTES,
  NUMBER_ATTRIBUTES,
  numberOf,
  ODOMETER_ATTRIBUTES,
  TEXT_ATTRIBUTES,
} from './tracker-attributes.ts'

const typeOf: Readonly<Record<string, string>> = { NUMBER: 'number', BOOLEAN: 'boolean' }
const numbers = [...NUMBER_ATTRIBUTES, ...Object.values(ODOMETER_ATTRIBUTES)]

test.each(numbers)('$attribute becomes $eventType in its unit', ({ eventType, unit }) => {
  expect(eventTypeByName(eventType)).toMatchObject({ dataType: 'NUMBER', unit })
})

test('what is no number goes into event types that hold it', () => {
  const dataTypesOf = (names: Readonly<Record<string, string>>) =>
    new Set(Object.values(names).map(name => eventTypeByName(name)?.dataType))
  expect(dataTypesOf(BOOLEAN_ATTRIBUTES)).toEqual(new Set(['BOOLEAN']))
  expect(dataTypesOf(TEXT_ATTRIBUTES)).toEqual(new Set(['STRING']))
})

test.each(Object.entries(ALARMS))('the alarm %s has a value that its event type holds', (_alarm, meaning) => {
  const type = eventTypeByName(meaning.eventType)
  // A warning takes its value from events of the same unit.
  const held =
    'value' in meaning
      ? [typeof meaning.value === typeOf[type?.dataType ?? '']]
      : meaning.valueOf.map(name => eventTypeByName(name)?.unit === type?.unit)
  expect(new Set(held)).toEqual(new Set([true]))
})

test('no two attributes fill one event type', () => {
  const eventTypes = [
    ...NUMBER_ATTRIBUTES.map(({ eventType }) => eventType),
    ...Object.values(BOOLEAN_ATTRIBUTES),
    ...Object.values(TEXT_ATTRIBUTES),
  ]
  expect(new Set(eventTypes).size).toBe(eventTypes.length)
})

test('the page for operators names every attribute and what becomes of it', () => {
  const page = readDocument('docs/gateways/traccar.md').text
  const named = [
    ...numbers.flatMap(({ attribute, eventType }) => [`\`${attribute}\``, eventType]),
    ...[...Object.entries(BOOLEAN_ATTRIBUTES), ...Object.entries(TEXT_ATTRIBUTES)].flatMap(([attribute, eventType]) => [
      `\`${attribute}\``,
      eventType,
    ]),
    ...Object.entries(ALARMS).flatMap(([alarm, { eventType }]) => [`\`${alarm}\``, eventType]),
  ]
  expect(named.filter(name => !page.includes(name))).toEqual([])
})

test.each([
  ['48.5', 48.5],
  [' -0.25 ', -0.25],
  ['+7', 7],
  ['5.', 5],
  ['.5', 0.5],
  ['1e3', 1000],
  ['2.5E-2', 0.025],
  [12.5, 12.5],
])('%j is the number %d', (value, number) => {
  expect(numberOf(value)).toBe(number)
})

test.each(['', ' ', '.', '1.2.3', '0x10', '1e', 'NaN', 'Infinity', '1e999', null, true, [1], Number.NaN])(
  '%j is no number',
  value => {
    expect(numberOf(value)).toBeUndefined()
  },
)

test('digits without end are no number, and are not looked at', () => {
  expect(numberOf('1'.repeat(100))).toBeCloseTo(1.111e99, -97)
  expect(numberOf('1'.repeat(101))).toBeUndefined()
  expect(numberOf(`${'1'.repeat(5_000_000)}x`)).toBeUndefined()
})
