import fc from 'fast-check'
import { expect, test } from 'vitest'
import { generatePassword, passwordFault } from './passwords.ts'

const EMAIL = 'ann.meyer@example.com'

test.each([
  ['elevenchars', 'at least 12 characters'],
  // Twelve signs that are six characters once they are put together.
  ['e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301', 'at least 12 characters'],
  ['password1234', 'too easy'],
  ['P@ssw0rd1234!', 'too easy'],
  ['123456789012', 'too easy'],
  ['qwertyuiopasdf', 'too easy'],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'too easy'],
  ['letmeinletmein', 'too easy'],
  [EMAIL, 'e-mail address'],
  [`${EMAIL.toUpperCase()}1`, 'e-mail address'],
  ['ann.meyer1234', 'too easy'],
  ['tachotachotacho', 'too easy'],
])('%s is refused', async (password, words) => {
  expect(await passwordFault(password, EMAIL)).toContain(words)
})

test.each(['correct horse', 'Xw3mVq7kT2bZ', 'blaue Fahrräder im Regen', 'пароль из трёх слов'])(
  '%s is taken',
  async password => {
    expect(await passwordFault(password, EMAIL)).toBeUndefined()
  },
)

test('one that was generated is always taken', async () => {
  for (let i = 0; i < 20; i++) expect(await passwordFault(generatePassword(), EMAIL)).toBeUndefined()
})

test('judging never takes long, whatever it is', async () => {
  await passwordFault('loads the lists', EMAIL)
  const signs = fc.string({
    unit: fc.constantFrom(
      'a',
      '4',
      '@',
      '8',
      '(',
      '{',
      '3',
      '6',
      '9',
      '1',
      '!',
      '|',
      '7',
      '0',
      '$',
      '5',
      '2',
      'e',
      's',
    ),
    minLength: 12,
    maxLength: 1000,
  })
  await fc.assert(
    fc.asyncProperty(signs, async password => {
      const startedMs = performance.now()
      await passwordFault(password, EMAIL)
      // What is not bounded takes minutes.
      expect(performance.now() - startedMs).toBeLessThan(30_000)
    }),
    { numRuns: 50 },
  )
})
