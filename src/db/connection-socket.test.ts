import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { connectionSocket, copiedRow } from './copy.ts'
import { sql } from './sql.ts'

const CONNECTIONS = 4
/** Of several reads. */
const LENGTH = 300_000

let testDatabase: TestDatabase
let pool: Pool

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  pool = new Pool({ connectionString: testDatabase.url, stream: connectionSocket, max: CONNECTIONS })
  // When its database is dropped, a connection may not yet have heard that it was closed.
  pool.on('error', () => undefined)
})
afterAll(async () => {
  await pool.end()
  await testDatabase.drop()
})

/** A long text that no other reader asks for, in a row of the driver or of a COPY. */
async function read(index: number, isCopied: boolean): Promise<boolean> {
  const letter = String.fromCharCode('a'.charCodeAt(0) + index)
  const client = await pool.connect()
  try {
    const text = isCopied
      ? String((await copiedRow(client, sql`select repeat(${letter}, ${LENGTH})`))?.[0])
      : (await client.query<{ text: string }>('select repeat($1, $2) as text', [letter, LENGTH])).rows[0]?.text
    return text === letter.repeat(LENGTH)
  } finally {
    client.release()
  }
}

test('connections that read at the same time, rows of the driver and of COPY, get each its own bytes', async () => {
  const isWhole = await Promise.all(Array.from({ length: 24 }, (_, index) => read(index, index % 2 === 0)))
  expect(isWhole).toEqual(isWhole.map(() => true))
})

test('a query works after one that failed', async () => {
  const client = await pool.connect()
  await expect(client.query('select 1 / 0')).rejects.toThrow('division by zero')
  await expect(copiedRow(client, sql`select 1 / 0`)).rejects.toThrow('division by zero')
  expect((await client.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }])
  client.release()
})
