import { expect, test } from 'vitest'
import { imeiFault } from './imei.ts'

test.each([
  ['490154203237518', undefined],
  ['49-015420-323751-8', undefined],
  ['490154203237517', 'checkDigit'],
  ['490154203237581', 'checkDigit'],
  ['490154203237S18', 'number'],
  ['', 'number'],
  ['000000000000000', 'number'],
  ['9007199254740992', 'number'],
  // Phones and some dongles have other numbers.
  ['123456', undefined],
  ['027043946607', undefined],
  ['9007199254740991', undefined],
])('of %j, the fault is %s', (typed, fault) => {
  expect(imeiFault(typed)).toBe(fault)
})
