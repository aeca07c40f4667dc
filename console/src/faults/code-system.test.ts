import { expect, it } from 'vitest'
import { codeSystemOf } from './code-system.ts'

it.each([
  ['P0301', 'powertrain', true],
  ['P1301', 'powertrain', false],
  ['P2187', 'powertrain', true],
  ['P3000', 'powertrain', false],
  ['P33FF', 'powertrain', false],
  ['P3400', 'powertrain', true],
  ['P3FFF', 'powertrain', true],
  ['C0035', 'chassis', true],
  ['C1201', 'chassis', false],
  ['B0001', 'body', true],
  ['B2AAA', 'body', false],
  ['U0100', 'network', true],
  ['U3FFF', 'network', true],
])('%s is about the %s; means the same in every car: %s', (code, system, isGeneric) => {
  expect(codeSystemOf(code)).toEqual({ system, isGeneric })
})

it.each(['', 'P030', 'P03011', 'P4301', 'X0301', 'P030G', 'p0301', '0301', '524287-31'])('"%s" tells nothing', code => {
  expect(codeSystemOf(code)).toBeUndefined()
})
