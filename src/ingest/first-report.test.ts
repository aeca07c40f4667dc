import pino from 'pino'
import { afterAll, expect, it } from 'vitest'
import { imeiOf } from '../../lab/simulation/imei.ts'
import { writeTcpFrame } from '../../lab/teltonika-dongle/write-frame.ts'
import { eventually } from '../../test/eventually.ts'
import { startService } from '../../test/service.ts'
import { logInTeltonika } from '../../test/teltonika-client.ts'
import { requiredEventType } from '../catalogue/event-types.ts'
import { sql } from '../db/sql.ts'
import { sampleOf } from '../model/sample.ts'

const POSITION = requiredEventType('POSITION').id
const START_MS = Date.UTC(2026, 0, 10)

const log: string[] = []
const service = await startService({}, pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }))
// The first account is that of dongles nobody knows.
await service.key('Fleet')
afterAll(() => service.stop())

it('the first report of a dongle, which nobody knew before, counts for the account that gets the dongle', async () => {
  const deviceId = imeiOf('35630704', 246)
  const dongle = await logInTeltonika(service.teltonikaPort, String(deviceId))
  dongle.write(writeTcpFrame([sampleOf(deviceId, START_MS, new Map([[POSITION, { lon: 13.4, lat: 52.5 }]]))]))
  expect(await dongle.acknowledgement()).toBe(1)
  await dongle.close()
  await eventually(async () => {
    const volumes = await service.database.rows<{ name: string; bytes: number }>(sql`
      select a.name, v.bytes::integer as bytes from account_volumes v join accounts a on a.id = v.account_id`)
    expect(volumes).toEqual([{ name: 'Fleet', bytes: expect.toSatisfy((bytes: number) => bytes > 0) }])
  })
  expect(log.filter(line => line.includes('could not be counted'))).toEqual([])
})
