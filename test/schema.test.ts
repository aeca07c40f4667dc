import { readFile } from 'node:fs/promises'
import { afterAll, expect, test } from 'vitest'
import { dumpSchema, SCHEMA_FILE } from '../scripts/schema-dump.ts'
import { createEmptyDatabase, createTestDatabase } from './database.ts'
import { query } from './embedded-folder.ts'

const migrated = await createTestDatabase()
const empty = await createEmptyDatabase()
afterAll(async () => {
  await migrated.drop()
  await empty.drop()
})

test('migrations/schema.sql is the schema after all migrations; else run `npm run schema`', async () => {
  expect(await readFile(SCHEMA_FILE, 'utf8')).toBe(await dumpSchema(migrated.url))
})

test('the dump leaves nothing out: what is made from it has the same dump', async () => {
  const dump = await dumpSchema(migrated.url)
  await query(empty.url, dump)
  expect(await dumpSchema(empty.url)).toBe(dump)
})

test('what the dump cannot write makes it fail', async () => {
  for (const [statement, what] of [
    ['create materialized view v as select 1 as one', 'the relation v'],
    [`create type t as enum ('a')`, 'the type t'],
    ['create aggregate a (integer) (sfunc = int4pl, stype = integer)', 'the function a'],
  ] as const) {
    const other = await createEmptyDatabase()
    await query(other.url, statement)
    await expect(dumpSchema(other.url)).rejects.toThrow(`The dump does not know how to write ${what}.`)
    await other.drop()
  }
})
