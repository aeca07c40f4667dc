import { ensureFirstAccount } from '../src/access/accounts.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { Partitions } from '../src/db/samples/partitions.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import type { Sample } from '../src/model/sample.ts'
import { Backlog } from '../src/pipeline/backlog/backlog.ts'
import { storeBatch } from '../src/pipeline/batch.ts'
import { createTestDatabase } from './database.ts'

/** A database with one account, which gets every device. */
export interface SampleStore extends AsyncDisposable {
  readonly database: Database
  readonly accountId: number
  readonly backlog: Backlog
}

export async function makeSampleStore(): Promise<SampleStore> {
  const testDatabase = await createTestDatabase()
  const database = openDatabase({ url: testDatabase.url })
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  return {
    database,
    accountId,
    backlog: new Backlog(database.createLeaseLock()),
    async [Symbol.asyncDispose]() {
      await database.close()
      await testDatabase.drop()
    },
  }
}

/** Stores and derives samples, each instant of a device once. */
export async function storeSamples(
  { database, accountId, backlog }: SampleStore,
  samples: readonly Sample[],
): Promise<void> {
  await new Partitions(database).ensure(samples.map(({ timeMs }) => timeMs))
  await writeTransaction(database, transaction =>
    storeBatch(transaction, [{ samples, accountId }], { unknownDevices: 'accept', firstAccountId: accountId, backlog }),
  )
}
