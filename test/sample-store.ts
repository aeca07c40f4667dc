import { ensureFirstAccount } from '../src/access/accounts.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { deriveDevice, deriveTogether } from '../src/derive/derive.ts'
import { storeBatch } from '../src/ingest/store-batch.ts'
import type { DeviceId, Sample } from '../src/model/sample.ts'
import { DAY_MS } from '../src/model/time-range.ts'
import { dayStartMs, Partitions, sealDay } from '../src/store/index.ts'
import { createTestDatabase } from './database.ts'

/** A database with one account, which gets every device. */
export interface SampleStore extends AsyncDisposable {
  readonly database: Database
  readonly accountId: number
}

export async function makeSampleStore(): Promise<SampleStore> {
  const testDatabase = await createTestDatabase()
  const database = openDatabase({ url: testDatabase.url })
  const { id: accountId } = await writeTransaction(database, ensureFirstAccount)
  return {
    database,
    accountId,
    async [Symbol.asyncDispose]() {
      await database.close()
      await testDatabase.drop()
    },
  }
}

/** Stores and derives samples, each instant of a device once. */
export async function storeSamples(
  store: Omit<SampleStore, typeof Symbol.asyncDispose>,
  samples: readonly Sample[],
): Promise<void> {
  for (const deviceId of await storeOnly(store, samples)) await deriveDevice(store.database, deviceId)
}

/** Stores samples, and what is new in order is derived. */
export async function storeInOrder(
  store: Omit<SampleStore, typeof Symbol.asyncDispose>,
  samples: readonly Sample[],
): Promise<void> {
  await deriveTogether(store.database, await storeOnly(store, samples))
}

/** Stores samples, from which nothing is derived yet. @returns their devices */
async function storeOnly(
  { database, accountId }: Omit<SampleStore, typeof Symbol.asyncDispose>,
  samples: readonly Sample[],
): Promise<DeviceId[]> {
  await new Partitions(database).ensure(samples.map(({ timeMs }) => timeMs))
  const { devices } = await writeTransaction(database, transaction =>
    storeBatch(transaction, [{ samples, accountId }], { unknownDevices: 'accept', firstAccountId: accountId }),
  )
  return devices.map(({ deviceId }) => deviceId)
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
