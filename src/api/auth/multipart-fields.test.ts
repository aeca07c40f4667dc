import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../../test/any-character.ts'
import { multipartFields } from './token-request.ts'

const TYPE = 'multipart/form-data; boundary=XX'

const read = (body: string, type = TYPE) => multipartFields(Buffer.from(body), type)

test('what a browser encodes is read back', async () => {
  const field = fc.tuple(fc.stringMatching(/^[a-z_]{1,10}$/), fc.string({ unit: anyCharacter }))
  await fc.assert(
    fc.asyncProperty(fc.array(field), async given => {
      const form = new FormData()
      for (const [name, value] of given) form.append(name, value)
      const encoded = new Response(form)
      const body = Buffer.from(await encoded.arrayBuffer())
      // A form's own rule: line ends are CRLF.
      const expected = given.map(([name, value]) => [name, value.replace(/\r\n?|\n/g, '\r\n')])
      expect(multipartFields(body, encoded.headers.get('content-type') ?? '')).toEqual(expected)
    }),
  )
})

test.each([
  ['names without quotes', '--XX\r\nContent-Disposition: form-data; name=a\r\n\r\nv\r\n--XX--\r\n'],
  [
    'further headers',
    '--XX\r\nContent-Type: text/plain\r\ncontent-disposition: form-data; name="a"\r\n\r\nv\r\n--XX--',
  ],
  ['text before and after', 'hello\r\n--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n--XX--\r\nbye'],
  ['blanks after the boundary', '--XX \t\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n--XX--\r\n'],
  ['a folded header', '--XX\r\nContent-Disposition: form-data;\r\n name="a"\r\n\r\nv\r\n--XX--\r\n'],
])('%s', (_what, body) => {
  expect(read(body)).toEqual([['a', 'v']])
})

test('a boundary in quotes', () => {
  expect(
    read(
      '--X X\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n--X X--',
      'multipart/form-data; boundary="X X"',
    ),
  ).toEqual([['a', 'v']])
})

test('no fields', () => {
  expect(read('--XX--\r\n')).toEqual([])
})

test.each([
  ['cut off', '--XX\r\nContent-Disposition: form-data; name="a"\r\n\r\nv', /cut off/],
  ['without a name', '--XX\r\nContent-Disposition: form-data\r\n\r\nv\r\n--XX--', /with a name/],
  ['without headers', '--XX\r\nv\r\n--XX--', /with a name/],
  [
    'with a file',
    '--XX\r\nContent-Disposition: form-data; name="password"; filename="a"\r\n\r\nv\r\n--XX--',
    /^password must be text/,
  ],
  ['a body of another boundary', '--YY\r\n\r\n--YY--', /cut off/],
])('%s: refused', (_what, body, message) => {
  expect(() => read(body)).toThrow(message)
})

test('a content type without boundary is refused', () => {
  expect(() => read('--XX--', 'multipart/form-data')).toThrow(/boundary/)
})
