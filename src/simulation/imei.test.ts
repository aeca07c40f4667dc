import { expect, test } from 'vitest'
import { imeiOf, luhnCheckDigit } from './imei.ts'

test('the check digit is the one that published IMEIs have', () => {
  // Examples of 3GPP TS 23.003 and of the TAC documentation of the GSMA.
  expect(luhnCheckDigit('49015420323751')).toBe(8)
  expect(luhnCheckDigit('35209900176148')).toBe(1)
})

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
