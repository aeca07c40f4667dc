import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createEmptyDatabase } from '../../test/database.ts'
import { query } from '../../test/embedded-folder.ts'
import { OperatorError } from '../model/errors.ts'
import { migrate } from './migrations.ts'

let url = ''
beforeEach(async () => {
  const database = await createEmptyDatabase()
  url = database.url
  onTestFinished(() => database.drop())
})

const NAMES = (await readdir(fileURLToPath(new URL('../../migrations', import.meta.url))))
  .filter(name => /^\d{4}-/.test(name))
  .sort()

async function migrationsIn(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tacho-migrations-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

const tables = async () => {
  const rows = await query(
    url,
    `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`,
  )
  return rows.map(({ relname }) => relname)
}

const recorded = async () => (await query(url, 'select name from migrations order by number')).map(({ name }) => name)

test('an empty database gets every migration once, a database that has them none', async () => {
  const told: unknown[] = []
  const log = { info: (...line: unknown[]) => void told.push(line[0]) }
  expect(await migrate(url, { log })).toEqual({ all: NAMES, applied: NAMES })
  expect(told).toEqual(NAMES.map(migration => ({ migration })))
  expect(await recorded()).toEqual(NAMES)
  expect(await migrate(url, { log })).toEqual({ all: NAMES, applied: [] })
  expect(told).toHaveLength(NAMES.length)
})

test('of nodes that start at once, one migrates and the others wait until it is done', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { applied } = await migrate(url)
      return { applied: applied.length, ready: (await recorded()).length }
    }),
  )
  expect(outcomes.map(({ ready }) => ready)).toEqual(outcomes.map(() => NAMES.length))
  expect(outcomes.map(({ applied }) => applied).sort((a, b) => b - a)).toEqual([NAMES.length, 0, 0, 0, 0, 0])
})

test('only what is missing is applied, in the order of the numbers', async () => {
  const first = await migrationsIn({ '0001-first.sql': 'create table first (id integer)' })
  await migrate(url, { folder: first })
  const folder = await migrationsIn({
    '0010-tenth.sql': 'insert into second values (10)',
    '0001-first.sql': 'create table first (id integer)',
    '0002-second.sql': 'create table second (id integer); insert into second values (2)',
    'schema.sql': 'this is not a migration',
    'notes.txt': 'nor is this',
  })
  const { applied } = await migrate(url, { folder })
  expect(applied).toEqual(['0002-second.sql', '0010-tenth.sql'])
  expect(await query(url, 'select id from second')).toEqual([{ id: 2 }, { id: 10 }])
})

test('a database of a newer Tacho is refused and left as it is', async () => {
  await migrate(url, { folder: await migrationsIn({ '0001-a.sql': 'select 1', '0002-b.sql': 'select 1' }) })
  const older = await migrationsIn({ '0001-a.sql': 'select 1' })
  const refused = migrate(url, { folder: older })
  await expect(refused).rejects.toThrow(OperatorError)
  await expect(refused).rejects.toThrow('The database was set up by a newer Tacho (migration 2); start that version.')
  expect(await recorded()).toEqual(['0001-a.sql', '0002-b.sql'])
})

test('a database of a development version, whose migrations had other names, is refused', async () => {
  await migrate(url, { folder: await migrationsIn({ '0001-a.sql': 'select 1', '0002-b.sql': 'select 1' }) })
  const refused = migrate(url, { folder: await migrationsIn({ '0001-tables.sql': 'select 1' }) })
  await expect(refused).rejects.toThrow(OperatorError)
  await expect(refused).rejects.toThrow('The database is from a development version of Tacho')
})

test('a migration that was changed after it was applied is refused, and nothing after it is applied', async () => {
  await migrate(url, { folder: await migrationsIn({ '0001-a.sql': 'create table a (id integer)' }) })
  const changed = await migrationsIn({
    '0001-a.sql': 'create table a (id bigint)',
    '0002-b.sql': 'create table b (id bigint)',
  })
  const refused = migrate(url, { folder: changed })
  await expect(refused).rejects.toThrow(OperatorError)
  await expect(refused).rejects.toThrow(
    'Migration 1 of the database is not the one this Tacho has; it was changed after it was applied.',
  )
  expect(await tables()).toEqual(['a', 'migrations'])
})

test('a migration that fails leaves nothing of itself, and what came before it stays', async () => {
  const broken = 'create table b (id integer); insert into b values (1); select 1 / 0; create table c (id integer)'
  const folder = await migrationsIn({ '0001-a.sql': 'create table a (id integer)', '0002-b.sql': broken })
  const failed = migrate(url, { folder })
  await expect(failed).rejects.toThrow(OperatorError)
  await expect(failed).rejects.toThrow('The migration 0002-b.sql failed, and nothing of it was kept: division by zero.')
  expect(await tables()).toEqual(['a', 'migrations'])
  expect(await recorded()).toEqual(['0001-a.sql'])
  // The lock went with the session: nobody has to wait for it.
  await writeFile(join(folder, '0002-b.sql'), broken.replace('1 / 0', '1 / 1'))
  expect((await migrate(url, { folder })).applied).toEqual(['0002-b.sql'])
  expect(await tables()).toEqual(['a', 'b', 'c', 'migrations'])
})
