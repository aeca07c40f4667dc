import { describe, expect, it } from 'vitest'
import type { Dtc } from '../api/types.ts'
import { withNewer } from '../live/live-state.ts'
import { english } from '../translations/en.ts'
import { chosenFaults, codeSystemOf, type Fault, faultOf, faultsOf, groupedBy } from './fault.ts'

const dtc = (id: number, changes: Partial<Dtc> = {}): Dtc => ({
  id: String(id),
  vehicleId: 'VIN1',
  deviceId: 357_302_080_100_034,
  ecuTypeId: 1,
  ecuType: 'Engine',
  code: 'P0420',
  encoded: 'P0420',
  encoding: 'PCODE',
  label: 'Catalyst system bank 1 efficiency below threshold',
  dtcType: 'PERMANENT',
  recordedTimestamp: '2026-11-14T14:00:00.000Z',
  deleteTimestamp: null,
  modifyTimestamp: '2026-11-14T14:00:01.000000Z',
  ...changes,
})

const car = {
  id: 'VIN1',
  name: 'M-TA 101',
  plate: 'M-TA 101',
  vin: '1',
  deviceId: 357_302_080_100_034,
  makeAndModel: 'VW Golf',
  tripId: '',
  isHidden: false,
  group: '',
}
const ids = (faults: readonly { readonly id: string }[]) => faults.map(({ id }) => id)

describe('what is known of codes', () => {
  const gone = dtc(1, { deleteTimestamp: '2026-11-15T00:00:00.000Z', modifyTimestamp: '2026-11-15T00:00:01.000000Z' })
  const listOf = (...dtcs: Dtc[]) => ({
    objects: withNewer(new Map(), dtcs),
    next: undefined,
    knownFromMs: 0,
    modifyTimestamp: '',
    language: 'en',
  })
  const always = { view: 'history', fromMs: 0, toMs: undefined } as const

  it('a code that is gone leaves the current ones for the history, whatever order the replies come in', () => {
    for (const list of [listOf(dtc(1), gone), listOf(gone, dtc(1))]) {
      expect(faultsOf(list, { view: 'current' })).toEqual([])
      expect(faultsOf(list, always)).toEqual([gone])
    }
  })

  it('the newest come first', () => {
    const list = listOf(dtc(1), dtc(2, { recordedTimestamp: '2026-11-16T00:00:00.000Z' }), dtc(3))
    expect(ids(faultsOf(list, { view: 'current' }))).toEqual(['2', '3', '1'])
  })

  it('the history has those that began in its range, and none that never were', () => {
    const recordedMs = Date.parse(gone.recordedTimestamp)
    const retracted = dtc(2, { deleteTimestamp: dtc(2).recordedTimestamp })
    const list = listOf(gone, retracted)
    expect(ids(faultsOf(list, { view: 'history', fromMs: recordedMs, toMs: recordedMs }))).toEqual(['1'])
    expect(faultsOf({ ...list, knownFromMs: recordedMs + 1 }, always)).toEqual([])
    expect(faultsOf(list, { ...always, toMs: recordedMs - 1 })).toEqual([])
  })
})

describe('faults', () => {
  const faults: readonly Fault[] = [
    faultOf(dtc(1), car),
    faultOf(dtc(2, { code: 'P0301', label: 'Misfire', dtcType: 'SPORADIC' }), car),
    faultOf(dtc(3, { vehicleId: 'IMEI_35', dtcType: 'FREEZEFRAME' }), undefined),
  ]

  it('of a car that the person does not see name it by its number', () => {
    expect(faults.map(({ carName }) => carName)).toEqual(['M-TA 101', 'M-TA 101', '35'])
  })

  it.each([
    ['', undefined, ['1', '2', '3']],
    ['', 'SPORADIC', ['2']],
    ['mta101', undefined, ['1', '2']],
    ['p04', undefined, ['1', '3']],
    ['catalyst golf', undefined, ['1']],
    ['golf misfire', 'PERMANENT', []],
    ['engine sporadic', undefined, ['2']],
    ['powertrain freeze', undefined, ['3']],
  ] as const)('"%s" of kind %s finds %j', (search, kind, found) => {
    expect(ids(chosenFaults(faults, { search, kind }, english.faults))).toEqual(found)
  })

  it('by code: what most cars have comes first, and a car counts once', () => {
    const again = faultOf(dtc(4, { dtcType: 'SPORADIC' }), car)
    const groups = groupedBy('code', [faults[1], faults[0], again, faults[2]] as Fault[])
    expect(groups.map(group => [group.id, group.cars, ids(group.faults)])).toEqual([
      ['P0420', 2, ['1', '4', '3']],
      ['P0301', 1, ['2']],
    ])
  })

  it('by car: what has most codes comes first, and a code counts once', () => {
    const again = faultOf(dtc(4, { vehicleId: 'IMEI_35' }), undefined)
    const groups = groupedBy('car', [...faults, again])
    expect(groups.map(group => [group.id, group.codes, group.faults.length])).toEqual([
      ['VIN1', 2, 2],
      ['IMEI_35', 1, 2],
    ])
  })
})

it.each([
  ['P0301', 'powertrain', true],
  ['P1301', 'powertrain', false],
  ['P2187', 'powertrain', true],
  ['P33FF', 'powertrain', false],
  ['P3400', 'powertrain', true],
  ['C0035', 'chassis', true],
  ['B0001', 'body', true],
  ['B2AAA', 'body', false],
  ['U0100', 'network', true],
])('%s is about the %s; means the same in every car: %s', (code, system, isGeneric) => {
  expect(codeSystemOf(code)).toEqual({ system, isGeneric })
})

it.each(['', 'P030', 'P03011', 'P4301', 'X0301', 'P030G', 'p0301', '0301', '524287-31'])('"%s" tells nothing', code => {
  expect(codeSystemOf(code)).toBeUndefined()
})
