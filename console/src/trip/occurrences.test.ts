import { expect, it } from 'vitest'
import type { EventItem } from '../api/types.ts'
import { madeIncident } from '../incidents/made-incident.ts'
import { occurrencesOf, withIncidents } from './recording.ts'

const at = (second: number) => new Date(second * 1000).toISOString()
const event = (second: number, event_type: string, value: number | boolean | string, unit?: string): EventItem => ({
  event_type,
  data_type: typeof value === 'number' ? 'NUMBER' : typeof value === 'boolean' ? 'BOOLEAN' : 'STRING',
  value,
  ...(unit === undefined ? {} : { unit }),
  device_id: 1,
  recorded_timestamp: at(second),
})

it('tells what happened, with its value', () => {
  expect(occurrencesOf([event(1, 'HARSH_BRAKING', 4.6, 'm/s²'), event(2, 'GPS_SPEED', 50, 'km/h')])).toEqual([
    { kind: 'happening', timeMs: 1000, severity: 'warning', eventType: 'HARSH_BRAKING', value: 4.6, unit: 'm/s²' },
  ])
})

it('tells that a state changed, not that it was reported again', () => {
  const ignition = [true, true, false, false, true].map((isOn, second) => event(second, 'IS_IGNITION_ON', isOn))
  expect(occurrencesOf(ignition)).toEqual([
    { kind: 'switch', timeMs: 2000, severity: 'info', eventType: 'IS_IGNITION_ON', isOn: false },
    { kind: 'switch', timeMs: 4000, severity: 'info', eventType: 'IS_IGNITION_ON', isOn: true },
  ])
})

it('tells which fault codes are there and which come', () => {
  const lists = ['P0420', 'P0420', 'P0301,P0420', '', 'P0301'].map((codes, second) =>
    event(second, 'OBD_DTC_PERMANENT', codes),
  )
  expect(occurrencesOf(lists)).toEqual(
    [
      [0, 'P0420'],
      [2, 'P0301'],
      [4, 'P0301'],
    ].map(([second, code]) => ({ kind: 'codes', timeMs: Number(second) * 1000, severity: 'critical', codes: [code] })),
  )
})

it('is not confused by event types named like properties of objects', () => {
  expect(occurrencesOf([event(1, 'constructor', 'x'), event(1, 'toString', true)])).toEqual([])
})

it('puts incidents among what the dongle reported, which is told once', () => {
  const reported = occurrencesOf([
    event(1, 'HARSH_BRAKING', 4.6, 'm/s²'),
    event(5, 'POTHOLE', 2, 'm/s²'),
    event(9, 'HARSH_BRAKING', 4.2, 'm/s²'),
  ])
  const braking = madeIncident({
    kind: 'HARSH_BRAKING',
    startTimestamp: at(1),
    endTimestamp: at(2),
    severity: 'critical',
  })
  const speeding = madeIncident({ startTimestamp: at(4), endTimestamp: null })
  expect(withIncidents(reported, [speeding, braking]).map(({ kind, timeMs }) => [kind, timeMs])).toEqual([
    ['incident', 1000],
    ['incident', 4000],
    ['happening', 5000],
    ['happening', 9000],
  ])
})
