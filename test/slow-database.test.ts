import { Client } from 'pg'
import { afterAll, expect, test } from 'vitest'
import { holdTables } from './held-tables.ts'
import { startService } from './service.ts'

/* What happens while the database answers late (docs/operation/faults.md). */

const service = await startService({ READ_TIMEOUT_S: '1' })
const key = await service.key('Fleet')
afterAll(() => service.stop())

const ask = (path: string) => fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } })
const send = () =>
  fetch(`${service.url}/ingest/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify([
      { deviceId: 4711, recordedTimestamp: '2026-01-15T08:00:00Z', eventType: 'GPS_SPEED', value: 1 },
    ]),
  })

test('what is sent is answered after its commit, however late, and reading goes on meanwhile', async () => {
  const release = await holdTables(service.config.databaseUrl)
  let isAnswered = false
  const sent = send().finally(() => {
    isAnswered = true
  })
  expect((await ask('/cc/v2.0/devices')).status).toBe(200)
  expect((await ask('/readyz')).status).toBe(200)
  const waiting = async () => {
    const text = await (await ask('/metrics')).text()
    return /^tacho_ingest_pending_samples\{.*\} (\d+)$/m.exec(text)?.[1]
  }
  await expect.poll(waiting).toBe('1')
  expect(isAnswered).toBe(false)
  await release()
  expect((await sent).status).toBe(200)
})

test('a read that takes too long is ended, told so, and keeps nobody else waiting', async () => {
  const client = new Client({ connectionString: service.config.databaseUrl })
  await client.connect()
  await client.query('begin; lock table trips in access exclusive mode')
  const slow = await ask('/cc/v2.0/trips')
  expect([slow.status, slow.headers.get('retry-after')]).toEqual([503, '2'])
  expect(await slow.json()).toEqual({
    errorMessage: expect.stringMatching(/^The query took too long\. Ask for a smaller range\. Request id: /),
  })
  expect((await ask('/cc/v2.0/units')).status).toBe(200)
  await client.end()
  expect((await ask('/cc/v2.0/trips')).status).toBe(200)
})
