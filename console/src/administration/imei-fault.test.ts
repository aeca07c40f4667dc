import { expect, test } from 'vitest'
import { imeiFault } from './imei-fault.ts'

test.each([
  ['490154203237518', undefined],
  ['49-015420-323751-8', undefined],
  ['490154203237517', 'checkDigit'],
  ['490154203237581', 'checkDigit'],
  ['49015420323751', 'length'],
  ['4901542032375180', 'length'],
  ['490154203237S18', 'length'],
  ['', 'length'],
  ['000000000000000', 'leadingZero'],
  // Phones have short numbers.
  ['123456', undefined],
  ['0123456', 'length'],
])('of %j, the fault is %s', (typed, fault) => {
  expect(imeiFault(typed)).toBe(fault)
})
