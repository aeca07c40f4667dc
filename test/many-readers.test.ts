import { afterAll, expect, it } from 'vitest'
import { openDatabase } from '../src/db/database.ts'
import { apiServerOn, BASE } from './api.ts'
import { ingestClient } from './ingest-client.ts'
import { startService } from './service.ts'

const DEVICE = 354_000_000_000_001
/** Several times as many as there are connections for reading. */
const CLIENTS = 40

/** A process that has read nothing yet. */

const service = await startService()
const key = await service.key('Fleet')
const recordedTimestamp = '2025-03-04T08:00:00Z'
await ingestClient(service.intakeUrl, key).store([
  { deviceId: DEVICE, recordedTimestamp, eventType: 'GPS_SPEED', value: 48 },
])
const fresh = openDatabase({ url: service.config.databaseUrl })
const api = await apiServerOn(fresh, service.config)
afterAll(async () => {
  await api.close()
  await fresh.close()
  await service.stop()
})

it('answers many clients that ask for events at once, right after the start', async () => {
  const replies = await Promise.all(
    Array.from({ length: CLIENTS }, () =>
      api.inject({
        url: `${BASE}/events?deviceId=${DEVICE}&fromTimestamp=2025-03-04`,
        headers: { authorization: `Bearer ${key}` },
      }),
    ),
  )
  expect(replies.map(reply => reply.statusCode)).toEqual(replies.map(() => 200))
  for (const reply of replies) expect(reply.json()).toHaveLength(1)
})
