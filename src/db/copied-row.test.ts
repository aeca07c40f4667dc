import fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { anyCharacter } from '../../test/any-character.ts'
import { createTestDatabase } from '../../test/database.ts'
import { copiedRow } from './copy.ts'
import { sql } from './sql.ts'

const testDatabase = await createTestDatabase()
const client = new Client({ connectionString: testDatabase.url })
await client.connect()
afterAll(async () => {
  await client.end()
  await testDatabase.drop()
})

test('every value reaches the database as it is, and comes back in bytes', async () => {
  const texts = fc.string({ unit: anyCharacter, maxLength: 40 }).filter(text => !text.includes('\0'))
  const given = fc.record({ text: fc.option(texts), texts: fc.array(texts), whole: fc.integer(), isOn: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(given, async ({ text, texts: list, whole, isOn }) => {
      const row = await copiedRow(
        client,
        sql`select ${text}::text, array_to_json(${list}::text[])::text, int4send(${whole}), ${isOn}::boolean`,
      )
      expect(row?.[0]?.toString()).toBe(text ?? undefined)
      expect(JSON.parse(String(row?.[1]))).toEqual(list)
      expect(row?.[2]?.readInt32BE()).toBe(whole)
      expect(row?.[3]).toEqual(Buffer.from([isOn ? 1 : 0]))
    }),
  )
})

test('a literal ends nowhere but at its end', async () => {
  for (const text of ["'; drop table samples; --", "\\'; select 1; --", '$1', "E'\\x41'"])
    expect(String((await copiedRow(client, sql`select ${text}::text`))?.[0])).toBe(text)
  await expect(copiedRow(client, sql`select ${{ not: 'a value' }}`)).rejects.toThrow('no literal')
})

test('no row is none, and a row of megabytes is whole', async () => {
  expect(await copiedRow(client, sql`select 1 where false`)).toBeUndefined()
  const row = await copiedRow(client, sql`select decode(repeat('00ff', 2000000), 'hex')`)
  expect(row?.[0]?.length).toBe(4_000_000)
  expect(row?.[0]?.every((byte, at) => byte === (at % 2 === 0 ? 0 : 255))).toBe(true)
})

test('an error of the database is thrown with its code, and the connection goes on', async () => {
  await expect(copiedRow(client, sql`select 1 / ${0}::integer`)).rejects.toMatchObject({ code: '22012' })
  await expect(copiedRow(client, sql`select 1 / (3 - i) from generate_series(1, 5) i`)).rejects.toMatchObject({
    code: '22012',
  })
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
})

test('a connection that ends meanwhile is an error', async () => {
  const other = new Client({ connectionString: testDatabase.url })
  other.on('error', () => undefined)
  await other.connect()
  const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
  const ended = new Promise(resolve => other.once('end', resolve))
  const copied = copiedRow(other, sql`select pg_sleep(60)`).catch((error: unknown) => error)
  await client.query('select pg_terminate_backend($1)', [rows[0]?.pid])
  expect(await copied).toMatchObject({ message: expect.stringContaining('terminat') })
  await ended
  await expect(copiedRow(other, sql`select 1`)).rejects.toThrow(/terminated|not queryable/)
})
