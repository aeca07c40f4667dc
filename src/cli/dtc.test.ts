import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { typedCommands } from '../../test/cli.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { readLabelFile, registerDtc } from './dtc.ts'

let testDatabase: TestDatabase
let folder: string

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  folder = mkdtempSync(join(tmpdir(), 'tacho-dtc-'))
})
afterAll(async () => {
  await testDatabase.drop()
  rmSync(folder, { recursive: true })
})

const { output, notes, tacho } = typedCommands([registerDtc], () => testDatabase.url)

function file(...lines: string[]): string {
  const path = join(folder, 'labels.tsv')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

async function listed(): Promise<string[][]> {
  await tacho('dtc', 'list')
  return (output.pop() ?? '').split('\n').map(line => line.trim().split(/ {2,}/))
}

test('import adds and changes, list shows, remove takes away', async () => {
  await tacho(
    'dtc',
    'import',
    file('code\tlanguage\tlabel\tmake', 'P0301\ten\tFirst', 'P0301\tde\tErste', 'P1780\ten\tX\tVW'),
  )
  expect(output.splice(0)).toEqual(['3 new, 0 changed, 0 unchanged.'])
  await tacho(
    'dtc',
    'import',
    file('P0301\ten\tFirst cylinder', 'P0301\tde\tErste', 'P1780\ten\tX\tvw', 'P0302\ten\tSecond'),
  )
  expect(output.splice(0)).toEqual(['1 new, 1 changed, 2 unchanged.'])
  expect(await listed()).toEqual([
    ['CODE', 'LANGUAGE', 'MAKE', 'LABEL'],
    ['P0301', 'de', 'Erste'],
    ['P0301', 'en', 'First cylinder'],
    ['P0302', 'en', 'Second'],
    ['P1780', 'en', 'vw', 'X'],
  ])

  await tacho('dtc', 'remove', 'p1780', 'EN', 'VW')
  expect(notes.pop()).toBe('The imported text of P1780 in en for VW is gone.')
  await expect(tacho('dtc', 'remove', 'P1780', 'en', 'VW')).rejects.toThrow(
    'There is no imported text of P1780 in en for VW; see `tacho dtc list`.',
  )
  await tacho('dtc', 'remove', 'P0302', 'en')
  expect((await listed()).map(([code]) => code)).toEqual(['CODE', 'P0301', 'P0301'])
})

test('a file with any mistake changes nothing', async () => {
  const before = await listed()
  await expect(tacho('dtc', 'import', file('P0777\ten\tNew', 'P0301\ten\tOther', 'P0302\ten'))).rejects.toThrow(
    'Line 3, column 3 (label): the label is missing.',
  )
  expect(await listed()).toEqual(before)
})

test('- reads the labels from stdin', async () => {
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(
    Readable.from([Buffer.from('U0100\ten\tPiped\n')]) as typeof process.stdin,
  )
  await tacho('dtc', 'import', '-')
  expect(output).toEqual(['1 new, 0 changed, 0 unchanged.'])
})

test.each([
  [['import', '/nowhere/labels.tsv'], '/nowhere/labels.tsv cannot be read'],
  [['remove', 'P0301', 'fr'], 'It must be en or de.'],
])('%j is refused', async (words, message) => {
  await expect(tacho('dtc', ...words)).rejects.toThrow(message)
})

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

  it.each(['utf16le', 'latin1'] as const)('may be what a spreadsheet saves: %s', encoding => {
    expect(readLabelFile(Buffer.from('P0301\tde\tZündaussetzer', encoding))).toMatchObject([{ label: 'Zündaussetzer' }])
  })
})
