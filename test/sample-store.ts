import { ensureFirstAccount } from '../src/access/accounts.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { Backlog } from '../src/derive/backlog/backlog.ts'
import { storeBatch } from '../src/ingest/batch.ts'
import type { Sample } from '../src/model/sample.ts'
import { DAY_MS, dayStartMs, Partitions, sealDay } from '../src/store/index.ts'
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
  { database, accountId, backlog }: Omit<SampleStore, typeof Symbol.asyncDispose>,
  samples: readonly Sample[],
): Promise<void> {
  await new Partitions(database).ensure(samples.map(({ timeMs }) => timeMs))
  await writeTransaction(database, transaction =>
    storeBatch(transaction, [{ samples, accountId }], { unknownDevices: 'accept', firstAccountId: accountId, backlog }),
  )
}

interface SealedOptions {
  /** Of the days of the samples, each as its first instant, those that are sealed. */
  readonly sealed: (days: readonly number[]) => readonly number[]
  /** By their index: which samples come when these days are sealed already. */
  readonly isLate?: (index: number) => boolean
}

/** Stores samples of one device, some days as sealed ones. */
export async function storeSealed(
  store: SampleStore,
  samples: readonly Sample[],
  { sealed, isLate = () => false }: SealedOptions,
): Promise<void> {
  const late = samples.filter((_, index) => isLate(index))
  await storeSamples(
    store,
    samples.filter((_, index) => !isLate(index)),
  )
  const [first] = samples
  const days = [...new Set(samples.map(({ timeMs }) => dayStartMs(timeMs)))]
  if (first)
    for (const fromMs of sealed(days)) await sealDay(store.database, first.deviceId, { fromMs, toMs: fromMs + DAY_MS })
  await storeSamples(store, late)
}
