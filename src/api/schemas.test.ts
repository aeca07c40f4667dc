import { expect, it } from 'vitest'
import { numberIdOf } from './schemas.ts'

it('knows the id that a reply named', () => {
  expect(numberIdOf('1')).toBe(1)
  expect(numberIdOf('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
})

it.each(['', '0', '007', '-1', '+1', '1.0', '1e3', ' 1', '1\n', '9007199254740992', '99999999999999999999', 'a'])(
  'knows no id spelled %j',
  text => {
    expect(numberIdOf(text)).toBeUndefined()
  },
)
