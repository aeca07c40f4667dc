import { describe, expect, it } from 'vitest'
import { dtcLabel } from './dtc-labels.ts'

describe('labels of trouble codes', () => {
  it.each([
    ['P0301', 'Misfire cylinder 1 detected'],
    ['P03FF', 'Powertrain: ignition or misfire (generic code)'],
    ['P0EFF', 'Powertrain: hybrid or electric drive (generic code)'],
    ['P2AFF', 'Powertrain: fuel and air metering (generic code)'],
    ['P0F00', 'Powertrain (generic code)'],
    ['P1301', 'Powertrain: ignition or misfire (manufacturer-specific code)'],
    ['P1780', 'Powertrain: transmission (manufacturer-specific code)'],
    ['P1A01', 'Powertrain (manufacturer-specific code)'],
    ['P3001', 'Powertrain: fuel and air metering (manufacturer-specific code)'],
    ['P3401', 'Powertrain: cylinder deactivation (generic code)'],
    ['C00FF', 'Chassis: brakes and traction control (generic code)'],
    ['C1234', 'Chassis (manufacturer-specific code)'],
    ['B00FF', 'Body: occupant restraints (generic code)'],
    ['B2AAA', 'Body (manufacturer-specific code)'],
    ['U01FF', 'Network: lost communication (generic code)'],
    ['U3099', 'Network: control module and its power supply (generic code)'],
  ])('%s is "%s"', (code, label) => {
    expect(dtcLabel(code, 'en')).toBe(label)
  })

  it.each(['', '4F21', 'P030', 'P03011', 'p0301', 'X0301', 'P4301', 'P030G'])('"%s" has none', code => {
    expect([dtcLabel(code, 'en'), dtcLabel(code, 'de')]).toEqual(['', ''])
  })

  it('every area has a text in each language, of its own', () => {
    const labels = (language: 'en' | 'de') =>
      ['P', 'C', 'B', 'U'].flatMap(system =>
        Array.from({ length: 64 }, (_, index) => {
          const digits = `${index >> 4}${(index & 15).toString(16).toUpperCase()}FF`
          return dtcLabel(system + digits, language)
        }),
      )
    expect(labels('de').every(label => label !== '')).toBe(true)
    expect(new Set(labels('de')).size).toBe(new Set(labels('en')).size)
  })
})
