import { expect, test } from 'vitest'
import { readLabelFile } from '../src/cli/dtc.ts'
import { readEntry } from '../src/derive/dtcs/dtc-intervals.ts'
import { readDocument } from './document.ts'

const document = readDocument('docs/fault-codes.md')

/** The texts between backquotes of each cell of the table of entries, and of its sentences about numbers. */
const rows = document.text
  .split('\n')
  .filter(line => line.startsWith('| ') && line.includes('`'))
  .slice(1)
  .map(line => line.split(' | ').map(cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)))

test('every example of an entry is read as the table says', () => {
  expect(rows).toHaveLength(5)
  for (const [, examples = [], codes = [], encoded = [], [encoding] = []] of rows)
    for (const [index, example] of examples.entries())
      expect({ example, ...readEntry(example) }).toMatchObject({
        example,
        code: codes[index] ?? codes[0],
        encoded: encoded[index] ?? encoded[0],
        encoding,
      })
})

test('numbers and prefixes are read as the text says', () => {
  expect(readEntry('1234')?.code).toBe('P1234')
  expect(readEntry('01234')?.code).toBe('P04D2')
  expect(readEntry('FF:7E8:P0301')).toMatchObject({ code: 'P0301', ecuTypeId: 1, isFreezeFrame: true })
  for (const text of ['`1234` is P1234', '`01234` is P04D2', '`FF:7E8:P0301`']) expect(document.text).toContain(text)
})

test('the file of labels can be imported', () => {
  const [, block = ''] = /^```text\n([^]*?)^```$/m.exec(document.text) ?? []
  expect(readLabelFile(new TextEncoder().encode(block))).toHaveLength(2)
})

test('every file that it names is there', () => {
  expect(document.missingFiles()).toEqual([])
})
