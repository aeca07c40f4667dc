import { expect, test } from 'vitest'
import { imeiOf } from './imei.ts'

test('an IMEI has fifteen digits: TAC, serial number, check digit', () => {
  expect(imeiOf('35209900', 176_148)).toBe(352_099_001_761_481)
  expect(String(imeiOf('86419603', 7))).toMatch(/^86419603000007\d$/)
})

test.each([
  ['01234567', 1],
  ['8641960', 1],
  ['86419603', 1_000_000],
])('TAC %s with serial %d is no IMEI', (tac, serial) => {
  expect(() => imeiOf(tac, serial)).toThrow('no IMEI')
})
