import { expect, test } from 'vitest'
import { luhnCheckDigit } from './vehicles-and-dongles.ts'

test('the check digit is the one that published IMEIs have', () => {
  // Examples of 3GPP TS 23.003 and of the TAC documentation of the GSMA.
  expect(luhnCheckDigit('49015420323751')).toBe(8)
  expect(luhnCheckDigit('35209900176148')).toBe(1)
})
