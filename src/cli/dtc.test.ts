import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { typedCommands } from '../../test/cli.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { registerDtc } from './dtc.ts'

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
  [['import', '/nowhere/labels.tsv'], '/nowhere/labels.tsv can not be read'],
  [['remove', 'P0301', 'fr'], 'It must be en or de.'],
])('%j is refused', async (words, message) => {
  await expect(tacho('dtc', ...words)).rejects.toThrow(message)
})
