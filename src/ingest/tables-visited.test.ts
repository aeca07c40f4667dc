import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/database.ts'
import { isOnCitus } from '../../test/on-citus.ts'
import { ensureFirstAccount } from '../access/accounts.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import { sql } from '../db/sql.ts'
import { writeTransaction } from '../db/transaction.ts'
import { type DeviceId, sampleOf } from '../model/sample.ts'
import { WEEK_MS } from '../model/time-range.ts'
import { Partitions } from '../store/index.ts'
import { storeBatch } from './store-batch.ts'

const SPEED = requiredEventType('GPS_SPEED').id
const WEEKS = 80
const NEWEST_MS = Date.UTC(2026, 5, 1, 12)

const database = await openTestDatabase()
const accountId = (await writeTransaction(database, ensureFirstAccount)).id
await new Partitions(database).ensure(Array.from({ length: WEEKS }, (_, week) => NEWEST_MS - week * WEEK_MS))

/** Stores the speeds in one batch. @returns how many tables of samples its transaction had to do with */
function tablesOf(...speeds: readonly (readonly [timeMs: number, speed: number])[]): Promise<number> {
  const samples = speeds.map(([timeMs, speed]) => sampleOf(1 as DeviceId, timeMs, new Map([[SPEED, speed]])))
  return writeTransaction(database, async transaction => {
    await storeBatch(transaction, [{ samples, accountId }], {
      unknownDevices: 'accept',
      firstAccountId: accountId,
    })
    const [row] = await transaction.rows<{ count: number }>(sql`
      select count(distinct c.relname) as count from pg_locks l join pg_class c on c.oid = l.relation
      where l.pid = pg_backend_pid() and c.relkind = 'r' and c.relname ~ '^samples_\\d'`)
    return row?.count ?? 0
  })
}

// On Citus, the tables of samples are on the workers.
test.skipIf(isOnCitus)(
  'a batch has to do with the tables of its samples only, whether these are new, repeated, changed or late',
  async () => {
    expect(await tablesOf([NEWEST_MS, 50])).toBe(1)
    expect(await tablesOf([NEWEST_MS, 50], [NEWEST_MS + 1000, 51])).toBe(1)
    expect(await tablesOf([NEWEST_MS, 60])).toBe(1)
    const longAgoMs = NEWEST_MS - (WEEKS - 1) * WEEK_MS
    expect(await tablesOf([longAgoMs, 50], [NEWEST_MS + 2000, 50])).toBe(2)
    expect(await tablesOf([longAgoMs, 70], [NEWEST_MS + 2000, 70])).toBe(2)
  },
)
