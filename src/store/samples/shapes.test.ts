import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { requiredEventType } from '../../catalogue/event-types.ts'
import { type Database, openDatabase } from '../database.ts'
import { sql } from '../sql.ts'
import { writeTransaction } from '../transaction.ts'

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.url, writerCount: 1 })
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

test('a new shape is added while all connections for writing are taken, and stays when its transaction fails', async () => {
  const types = [requiredEventType('MILEAGE').id]
  let id: number | undefined
  const failing = writeTransaction(database, async transaction => {
    id = (await transaction.shapes.idsOf([{ types }]))[0]
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  const rows = await database.rows(sql`select id, types from shapes`)
  expect(rows).toEqual([{ id, types }])
})
