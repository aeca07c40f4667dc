import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOfBytes, faultOf, readEntry } from './dtc-intervals.ts'

it.each([
  [0x0301, 'P0301'],
  [0x0143, 'P0143'],
  [0x2463, 'P2463'],
  [0x3fff, 'P3FFF'],
  [0x4035, 'C0035'],
  [0x8001, 'B0001'],
  [0xc100, 'U0100'],
  [0xffff, 'U3FFF'],
])('two bytes %i are %s', (bytes, code) => {
  expect(codeOfBytes(bytes)).toBe(code)
})

describe('an entry of a list', () => {
  it.each([
    ['P0301', 'P0301', 'P0301', 'PCODE'],
    ['p0a80', 'P0A80', 'P0A80', 'PCODE'],
    ['P0301-1C', 'P0301', 'P0301-1C', 'PCODE'],
    ['c00351c', 'C0035', 'C0035-1C', 'PCODE'],
    ['0x0301', 'P0301', '0301', 'HEX'],
    ['0301', 'P0301', '0301', 'HEX'],
    ['03011c', 'P0301', '03011C', 'HEX'],
    ['769', 'P0301', '769', 'DECIMAL'],
    ['00769', 'P0301', '769', 'DECIMAL'],
    ['7', 'P0007', '7', 'DECIMAL'],
    ['65535', 'U3FFF', '65535', 'DECIMAL'],
  ])('%s is %s, encoded %s as %s', (entry, code, encoded, encoding) => {
    expect(readEntry(entry)).toMatchObject({ code, encoded, encoding, isFreezeFrame: false })
  })

  it.each(['', ' ', 'P', 'P030', 'P03011', 'P4301', 'X0301', 'P030G', 'P0301-', 'P0301-1', 'P0301-1CC', 'P0301:1C'])(
    '"%s" is no code',
    entry => {
      expect(readEntry(entry)).toBeUndefined()
    },
  )

  it.each(['0x301', '0x', '3AF', '65536', '99999', '3.14', '-769', '+769', '0301-1C', 'none', 'P0301!', '٧٦٩'])(
    '"%s" is no number of a code',
    entry => {
      expect(readEntry(entry)).toBeUndefined()
    },
  )

  it.each(['FF:', '7E8:', 'FF:7E8:', '7EX:P0301', '7E0:P0301', '7E8:FF:P0301', 'FF:FF:P0301', ':P0301', 'P0301:'])(
    '"%s" is no code with a prefix',
    entry => {
      expect(readEntry(entry)).toBeUndefined()
    },
  )

  it.each(['P0000', '0000', '0x0000', '0', '00000', '000000', '7E8:0000', 'FF:P0000'])(
    '%s fills the place of a code that is not there',
    entry => {
      expect(readEntry(entry)).toBeUndefined()
    },
  )

  it.each([
    ['P0301', 1],
    ['P2187', 1],
    ['P1301', 1],
    ['P0700', 2],
    ['P0841', 2],
    ['P2700', 2],
    ['P0A80', 10],
    ['C0035', 3],
    ['B0001', 4],
    ['U0100', 0],
    ['B1001', 0],
    ['C1201', 0],
    ['7E8:P0700', 1],
    ['7e9:P0301', 2],
    ['18daf110:U0100', 1],
    ['18DAF118:U0100', 2],
    ['7EA:P0301', 1],
    ['7EB:U0100', 0],
  ])('%s is of control unit %i', (entry, ecuTypeId) => {
    expect(readEntry(entry)?.ecuTypeId).toBe(ecuTypeId)
  })

  it('says that a freeze frame is kept for a code', () => {
    expect(readEntry('FF:P0301')).toMatchObject({ code: 'P0301', encoded: 'P0301', isFreezeFrame: true })
    expect(readEntry('ff:7E9:0x0701')).toMatchObject({ code: 'P0701', ecuTypeId: 2, isFreezeFrame: true })
  })

  it('of any two bytes says the same in every form', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0xffff }), bytes => {
        const hex = bytes.toString(16).padStart(4, '0')
        const code = codeOfBytes(bytes)
        const forms = [code, code.toLowerCase(), hex, `0x${hex}`, String(bytes).padStart(5, '0')].map(readEntry)
        expect(new Set(forms.map(form => form?.code))).toEqual(new Set([code]))
        expect(new Set(forms.map(form => form && faultOf(form))).size).toBe(1)
      }),
    )
  })

  it('is another fault of another unit, with another failure type, and as a freeze frame', () => {
    const entries = ['P0301', '7E9:P0301', 'P0301-1C', 'P0301-13', 'FF:P0301', 'P0302']
    const faults = entries.map(entry => faultOf(readEntry(entry) ?? fail(entry)))
    expect(new Set(faults).size).toBe(entries.length)
    expect(faultOf(readEntry('03011C') ?? fail())).toBe(faults[2])
  })
})

function fail(entry = ''): never {
  throw new Error(`${entry} is no code`)
}
