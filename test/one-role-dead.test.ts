import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { imeiOf } from '../lab/simulation/imei.ts'
import { writeTcpFrame } from '../lab/teltonika-dongle/write-frame.ts'
import { ensureAccount } from '../src/access/accounts.ts'
import { createKey } from '../src/access/keys.ts'
import { startApiRole, startIntakeRole } from '../src/app.ts'
import { requiredEventType } from '../src/catalogue/event-types.ts'
import { ALL_PERMISSIONS } from '../src/catalogue/permissions.ts'
import { readConfig } from '../src/config.ts'
import { openDatabase } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { sampleOf } from '../src/model/sample.ts'
import { createTestDatabase } from './database.ts'
import { logInTeltonika } from './teltonika-client.ts'

/* What still works while one of the two processes is not there (docs/operation/faults.md). */

const DONGLE = imeiOf('35630704', 301)
const SILENT = pino({ level: 'silent' })

const testDatabase = await createTestDatabase()
const database = openDatabase({ url: testDatabase.url })
const config = {
  ...readConfig({ PORT: '0', TELTONIKA_PORT: '0', UNKNOWN_DEVICES: 'accept' }),
  databaseUrl: testDatabase.url,
}
const key = await writeTransaction(database, async transaction => {
  const { id: accountId } = await ensureAccount(transaction, 'Fleet')
  const made = await createKey(transaction, {
    accountId,
    name: 'test',
    permissions: ALL_PERMISSIONS,
    expires: undefined,
  })
  return made.secret
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

test('without the api, dongles report and are acknowledged', async () => {
  const intake = await startIntakeRole({ config, log: SILENT })
  const dongle = await logInTeltonika(intake.teltonikaPort ?? 0, String(DONGLE))
  const values = new Map([[requiredEventType('POSITION').id, { lon: 13.4, lat: 52.5 }]])
  dongle.write(writeTcpFrame([sampleOf(DONGLE, Date.UTC(2026, 0, 15), values)]))
  expect(await dongle.acknowledgement()).toBe(1)
  await dongle.close()
  await intake.stop()
  expect(await database.rows(sql`select count(*)::integer as count from samples`)).toEqual([{ count: 1 }])
})

test('without the intake, what is stored is read, uploads are to come again, and it is told what is missing', async () => {
  const api = await startApiRole({ config, log: SILENT, intakeUrl: () => undefined })
  const url = `http://127.0.0.1:${api.port}`
  const ask = (path: string, method = 'GET') =>
    fetch(url + path, { method, headers: { authorization: `Bearer ${key}` } })
  const devices = (await (await ask('/cc/v2.0/devices')).json()) as { devices: { id: number }[] }
  expect(devices.devices.map(({ id }) => id)).toEqual([DONGLE])

  const upload = await ask('/ingest/events', 'POST')
  expect([upload.status, upload.headers.get('retry-after')]).toEqual([503, '2'])

  expect((await ask('/readyz')).status).toBe(503)
  const reply = (await (await ask('/admin/operation')).json()) as { parts: { name: string; status: string }[] }
  expect(reply.parts.map(({ name, status }) => [name, status])).toEqual([
    ['database', 'ready'],
    ['intake', 'not ready'],
  ])
  const metrics = await (await ask('/metrics')).text()
  expect(metrics).toMatch(/^tacho_ready\{part="intake",role="api"\} 0$/m)
  await api.stop()
})
