import { describe, expect, it } from 'vitest'
import { ECUS, ecuName, UNKNOWN_ECU_ID } from './ecus.ts'

describe('control units', () => {
  it('have ids and names of their own in each language', () => {
    for (const part of ['id', 'en', 'de'] as const) expect(new Set(ECUS.map(ecu => ecu[part])).size).toBe(ECUS.length)
  })

  it('only the unknown one has no name', () => {
    expect(ECUS.filter(ecu => ecu.en === '' || ecu.de === '').map(ecu => ecu.id)).toEqual([UNKNOWN_ECU_ID])
  })

  it('are named in the language that is asked for', () => {
    expect([ecuName(1, 'en'), ecuName(1, 'de'), ecuName(UNKNOWN_ECU_ID, 'en'), ecuName(999, 'de')]).toEqual([
      'Engine',
      'Motor',
      '',
      '',
    ])
  })
})
