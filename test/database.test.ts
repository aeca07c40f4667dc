import { Client } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from './database.ts'

const database = await createTestDatabase()
afterAll(() => database.drop())

test('a test file gets a migrated database that belongs to the role of the service', async () => {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query(
    `select current_user, rolsuper, (select count(*)::int from accounts) as accounts from pg_roles where rolname = current_user`,
  )
  await client.end()
  expect(rows).toEqual([{ current_user: 'tacho', rolsuper: false, accounts: 0 }])
})
