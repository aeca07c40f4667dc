import { expect, it } from 'vitest'
import { openTestDatabase } from '../../../../test/database.ts'
import { ensureFirstAccount } from '../../../access/accounts.ts'
import { requiredEventType } from '../../../catalogue/event-types.ts'
import { writeTransaction } from '../../../db/transaction.ts'
import { storeBatch } from '../../../ingest/store-batch.ts'
import { type DeviceId, sampleOf } from '../../../model/sample.ts'
import { Partitions } from '../../../store/index.ts'
import { findIntervals, firstInstantOf, fleetRange } from './query.ts'

const DEVICE = 356307042440001 as DeviceId
const SPEED = requiredEventType('GPS_SPEED').id
const NOON_MS = Date.UTC(2026, 2, 2, 12)
const HOUR_MS = 3_600_000
const FLEET = { deviceId: undefined, vehicleId: undefined, tripId: undefined }
const EVER = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

const database = await openTestDatabase()
const { id: accountId } = await writeTransaction(database, ensureFirstAccount)

/** Nothing derives it: there is no engine here. */
async function store(timeMs: number): Promise<void> {
  const samples = [sampleOf(DEVICE, timeMs, new Map([[SPEED, 50]]))]
  await new Partitions(database).ensure([timeMs])
  await writeTransaction(database, transaction =>
    storeBatch(transaction, [{ samples, accountId: undefined }], {
      unknownDevices: 'accept',
      firstAccountId: accountId,
    }),
  )
}

it('events that are stored can be read before anything is derived, also those before all others', async () => {
  for (const firstMs of [NOON_MS, NOON_MS - HOUR_MS]) {
    await store(firstMs)
    const intervals = await findIntervals(database, { ...FLEET, accountId, deviceId: DEVICE }, EVER)
    expect(intervals).toMatchObject([{ deviceId: DEVICE, fromMs: firstMs }])
    expect(await firstInstantOf(database, { ...FLEET, accountId })).toBe(firstMs)
    const range = await fleetRange(database, accountId, EVER)
    expect(range).toMatchObject({ fromMs: firstMs })
    // A mark may reach a minute too far.
    for (const toMs of [intervals[0]?.toMs, range?.toMs]) {
      expect(toMs).toBeGreaterThan(NOON_MS)
      expect(toMs).toBeLessThanOrEqual(NOON_MS + 60_001)
    }
  }
})
