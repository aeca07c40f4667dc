import { describe, expect, it } from 'vitest'
import { readLabelFile } from './dtc-label-file.ts'

const read = (text: string) => readLabelFile(new TextEncoder().encode(text))

describe('a file of labels', () => {
  it('has a label on each line, for all makes or for one', () => {
    expect(read('P0301\ten\tMisfire in the first\np1780\tDE\tMotoreingriff\tVolkswagen\n')).toEqual([
      { code: 'P0301', language: 'en', label: 'Misfire in the first', make: '' },
      { code: 'P1780', language: 'de', label: 'Motoreingriff', make: 'Volkswagen' },
    ])
  })

  it.each([
    ['a line with the names of the columns', 'code\tlanguage\tlabel\tmake\nP0301\ten\tMisfire'],
    ['such a line without make', 'Code\tLanguage\tLabel\nP0301\ten\tMisfire'],
    ['empty lines', '\nP0301\ten\tMisfire\n\n \n'],
    ['blanks around a cell', ' P0301 \t en\tMisfire \t '],
    ['line ends of other systems', 'P0301\ten\tMisfire\r\n'],
    ['a byte order mark', '\ufeffP0301\ten\tMisfire\n'],
    ['the same line again', 'P0301\ten\tMisfire\nP0301\ten\tMisfire\n'],
  ])('may have %s', (_title, text) => {
    expect(read(text)).toEqual([{ code: 'P0301', language: 'en', label: 'Misfire', make: '' }])
  })

  it.each([
    ['P0301\ten\tMisfire\nP03\ten\tx', 'Line 2, column 1 (code): "P03" is no trouble code such as P0301.'],
    ['P0301,en,Misfire', 'Line 1, column 1 (code): "P0301,en,Misfire" is no trouble code such as P0301.'],
    ['P0301\tfr\tRaté', 'Line 1, column 2 (language): "fr" must be en or de.'],
    ['P0301\ten', 'Line 1, column 3 (label): the label is missing.'],
    ['P0301\ten\t \tFord', 'Line 1, column 3 (label): the label is missing.'],
    [`P0301\ten\t${'x'.repeat(501)}`, 'Line 1, column 3 (label): it has more than 500 characters.'],
    ['P0301\ten\tx\0y', 'Line 1, column 3 (label): it has a control character.'],
    [`P0301\ten\tx\t${'x'.repeat(101)}`, 'Line 1, column 4 (make): it has more than 100 characters.'],
    ['P0301\ten\tx\tFord\tmore', 'Line 1, column 5: there are more than 4 columns.'],
    [
      'code\tlabel\tlanguage',
      'Line 1, column 2 (language): the columns must be code, language, label, make, in this order.',
    ],
    [
      'P0301\ten\tone\tFord\n\nP0301\ten\tother\tFORD',
      'Line 3, column 3 (label): line 1 has another label for the same code, language and make.',
    ],
    ['code\tlanguage\tlabel\n', 'The file holds no labels.'],
    ['', 'The file holds no labels.'],
  ])('%j is refused', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  it('must be UTF-8', () => {
    expect(() => readLabelFile(Uint8Array.of(0x50, 0xff))).toThrow('The file is not text in UTF-8.')
  })
})
