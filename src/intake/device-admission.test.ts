import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { query } from '../../test/embedded-folder.ts'
import { type Database, openDatabase } from '../store/database.ts'
import { DeviceAdmission } from './device-admission.ts'
import type { DeviceId } from './sample.ts'

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.url })
  await query(
    testDatabase.url,
    `insert into devices (id, hardware_type, modified) values (1, 'FMC003', now()), (2, '', now())`,
  )
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const idsOf = (...ids: number[]) => ids as DeviceId[]
const admissionWhere = (unknownDevices: 'accept' | 'reject', firstAccountId?: number) => {
  const admission = new DeviceAdmission({ database, joining: async () => ({ unknownDevices, firstAccountId }) })
  return (ids: readonly DeviceId[]) => Promise.all(ids.map(id => admission.admit(id)))
}

test('known devices are admitted with their model, unknown ones where they may join an account', async () => {
  const known = [
    { kind: 'admitted', hardwareType: 'FMC003' },
    { kind: 'admitted', hardwareType: '' },
  ]
  const refused = { kind: 'refused' }
  const asked = idsOf(1, 2, 3)
  expect(await admissionWhere('reject', 1)(asked)).toEqual([...known, refused])
  expect(await admissionWhere('accept')(asked)).toEqual([...known, refused])
  expect(await admissionWhere('accept', 1)(asked)).toEqual([...known, { kind: 'admitted', hardwareType: '' }])
})

test('a fleet that comes at once is looked up in few queries, and not again soon', async () => {
  let queries = 0
  const counting: Database = {
    ...database,
    rows: (...asked) => {
      queries++
      return database.rows(...asked)
    },
  }
  const joining = async () => ({ unknownDevices: 'accept', firstAccountId: 1 }) as const
  const admission = new DeviceAdmission({ database: counting, joining })
  const fleet = idsOf(...Array.from({ length: 5000 }, (_, index) => 1000 + index))
  for (let round = 0; round < 3; round++)
    expect(new Set((await Promise.all(fleet.map(id => admission.admit(id)))).map(({ kind }) => kind))).toEqual(
      new Set(['admitted']),
    )
  expect(queries).toBeLessThan(5)
})

test('without the database nobody is refused: it is told that it can not be told', async () => {
  const gone = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/none' })
  const joining = async () => ({ unknownDevices: 'reject', firstAccountId: 1 }) as const
  const admission = new DeviceAdmission({ database: gone, joining })
  await expect(Promise.all(idsOf(1, 2).map(id => admission.admit(id)))).rejects.toThrow('ECONNREFUSED')
  await gone.close()
})
