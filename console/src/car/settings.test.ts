import { describe, expect, it } from 'vitest'
import { changesOf, fieldOfError, invalidFields, type SettingsForm } from './car-facts.ts'

const BEFORE: SettingsForm = {
  plate: 'M-TC 1',
  vin: '',
  make: '',
  model: 'Golf',
  fuelType: '',
  color: '',
  group: '',
  alarmSystem: null,
}
const VIN = 'WVWZZZ1KZAW000001'

describe('changes of settings', () => {
  it('are only what is different', () => {
    expect(changesOf(BEFORE, BEFORE)).toEqual({})
    expect(changesOf(BEFORE, { ...BEFORE, plate: ' M-TC 2 ', vin: VIN.toLowerCase(), alarmSystem: false })).toEqual({
      numberPlate: 'M-TC 2',
      vin: VIN,
      alarmSystem: false,
    })
    expect(changesOf(BEFORE, { ...BEFORE, make: ' Audi ', model: '' })).toEqual({ make: 'Audi', model: '' })
    expect(changesOf({ ...BEFORE, vin: VIN }, { ...BEFORE, vin: ` ${VIN} `, plate: '' })).toEqual({ numberPlate: '' })
  })
})

describe('a form', () => {
  it.each([
    [VIN, []],
    [` ${VIN.toLowerCase()} `, []],
    ['', []],
    [VIN.slice(1), ['vin']],
    [`I${VIN.slice(1)}`, ['vin']],
    [`${VIN}1`, ['vin']],
  ])('with the VIN %j has the wrong fields %j', (vin, wrong) => {
    expect(invalidFields(BEFORE, { ...BEFORE, vin })).toEqual(wrong)
  })

  it('cannot take a VIN away, nor have a plate without end', () => {
    expect(invalidFields({ ...BEFORE, vin: VIN }, { ...BEFORE, plate: 'M'.repeat(101) })).toEqual(['plate', 'vin'])
  })

  it('shows an error of the service at its field', () => {
    expect(fieldOfError('vin is the VIN of another vehicle of this account.')).toBe('vin')
    expect(fieldOfError('numberPlate must not contain control characters.')).toBe('plate')
    expect(fieldOfError('Too many requests.')).toBeUndefined()
  })
})
