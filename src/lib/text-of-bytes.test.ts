import { expect, it } from 'vitest'
import { textOfBody, textOfBytes } from './text-of-bytes.ts'

const xml = (encoding: string, text: string) => `<?xml version='1.0' encoding = '${encoding}' ?><a>${text}</a>`

it.each<[string, Uint8Array, RegExp]>([
  ['UTF-8 with a mark, whatever is declared', Buffer.from(`\ufeff${xml('ISO-8859-1', 'Höfe')}`), /^<.*Höfe/],
  ['UTF-16', Buffer.from('\ufeffHöfe', 'utf16le'), /^Höfe$/],
  ['UTF-16, great bytes first', Buffer.from('\ufeffHöfe', 'utf16le').swap16(), /^Höfe$/],
  ['UTF-16 without a mark', Buffer.from(xml('UTF-16', 'Höfe'), 'utf16le'), /Höfe/],
  ['UTF-16, great bytes first, without a mark', Buffer.from('{"a":"ö"}', 'utf16le').swap16(), /^\{"a":"ö"\}$/],
  ['UTF-16 that is declared alone', Buffer.from(xml('utf-16', 'Höfe')), /Höfe/],
  ['Latin-1', Buffer.from(xml('ISO-8859-1', 'Höfe'), 'latin1'), /Höfe/],
  ['Windows-1252', Buffer.from(xml('windows-1252', '\x80 \x84Höfe\x93'), 'latin1'), /€ „Höfe“/],
  ['Windows-1251', Buffer.from(xml('windows-1251', '\xc4\xe5\xef\xee'), 'latin1'), /Депо/],
  ['Shift_JIS', Buffer.from(xml('Shift_JIS', '\x93\x8c\x8b\x9e'), 'latin1'), /東京/],
  ['no encoding that is known', Buffer.from(xml('cp-unknown', 'Höfe')), /Höfe/],
  ['UTF-8 that is none', Buffer.from(xml('UTF-8', 'Höfe'), 'latin1'), /Höfe/],
  ['nothing declared', Buffer.from('{"name":"Höfe"}', 'latin1'), /Höfe/],
  ['nothing', Buffer.of(), /^$/],
])('%s', (_, bytes, text) => {
  expect(textOfBytes(bytes)).toMatch(text)
})

it.each([
  ['UTF-8', Buffer.from('\ufeffHöfe, 10 €')],
  ['Windows-1252', Buffer.from('H\xf6fe, 10 \x80', 'latin1')],
])('a body is %s', (_, bytes) => {
  expect(textOfBody(bytes)).toBe('Höfe, 10 €')
})
