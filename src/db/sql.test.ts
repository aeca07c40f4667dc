import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { openDatabase } from './database.ts'
import { sql, textList } from './sql.ts'

const ofTest = await createTestDatabase()
const database = openDatabase({ url: ofTest.url })
afterAll(async () => {
  await database.close()
  await ofTest.drop()
})

const anyText = fc.string({ unit: 'grapheme' }).map(text => JSON.stringify(text))

it('is the list in PostgreSQL', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(anyText, fc.constantFrom(null, '', 'a\nb', 'NULL', '\\'))), async texts => {
      // A single empty text cannot be told from no text at all.
      fc.pre(texts.length !== 1 || texts[0] !== '')
      const [row] = await database.rows<{ texts: unknown }>(sql`select to_json(${textList(texts)}) as texts`)
      expect(row?.texts).toEqual(texts)
    }),
  )
})

it('refuses a text with a character that separates them', () => {
  for (const separator of ['\u001e', '\u001f']) expect(() => textList(['a', `b${separator}`])).toThrow(RangeError)
})
