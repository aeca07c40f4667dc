import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { imeiOf } from '../lab/simulation/imei.ts'
import { writeTcpFrame } from '../lab/teltonika-dongle/write-frame.ts'
import { requiredEventType } from '../src/catalogue/event-types.ts'
import { sampleOf } from '../src/model/sample.ts'
import { query } from './embedded-folder.ts'
import { startService } from './service.ts'
import { logInTeltonika } from './teltonika-client.ts'

/* From an answer, or a frame of a dongle, to its lines in the log (docs/operation/watch.md). */

const KNOWN = imeiOf('35630704', 310)
const STRANGER = imeiOf('35630704', 311)

type Line = Readonly<Record<string, unknown>>

const lines: Line[] = []
const linesWith = (msg: string) => lines.filter(line => line.msg === msg)

const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
const service = await startService({ UNKNOWN_DEVICES: 'reject' }, log)
const key = await service.key('Fleet')
await fetch(`${service.url}/admin/devices`, {
  method: 'POST',
  headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  body: JSON.stringify({ deviceId: KNOWN }),
})
afterAll(() => service.stop())

const send = (second: number) =>
  fetch(`${service.url}/ingest/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify([
      {
        deviceId: KNOWN,
        recordedTimestamp: new Date(Date.UTC(2026, 0, 15, 8, 0, second)).toISOString(),
        eventType: 'GPS_SPEED',
        value: 50,
      },
    ]),
  })

test('a login that was refused is logged with its connection, dongle and reason', async () => {
  await expect(logInTeltonika(service.teltonikaPort, String(STRANGER))).rejects.toThrow(/\S/)
  await expect
    .poll(() => linesWith('refused; `tacho frames` shows it'))
    .toEqual([
      expect.objectContaining({
        gateway: 'teltonika',
        connection: expect.any(Number),
        deviceId: STRANGER,
        reason: 'unknown device',
        why: expect.stringContaining('unknown'),
      }),
    ])
})

test('a frame leads from its connection to the batch that it was stored with', async () => {
  const dongle = await logInTeltonika(service.teltonikaPort, String(KNOWN))
  const values = new Map([[requiredEventType('POSITION').id, { lon: 13.4, lat: 52.5 }]])
  dongle.write(writeTcpFrame([sampleOf(KNOWN, Date.UTC(2026, 0, 15, 7), values)]))
  expect(await dongle.acknowledgement()).toBe(1)
  await dongle.close()
  const login = linesWith('a dongle has logged in').find(({ deviceId }) => deviceId === KNOWN)
  const batch = linesWith('a batch is committed').at(-1)
  expect(batch?.senders).toEqual([`teltonika ${KNOWN} (connection ${String(login?.connection)})`])
})

test('an answer leads to its request and batch, also when it could not be stored; then that is told once', async () => {
  const stored = (await send(1)).headers.get('x-request-id')
  const committed = linesWith('a batch is committed').find(({ senders }) =>
    (senders as readonly string[]).includes(`request ${stored}`),
  )
  expect(committed?.batch).toMatch(/^[\da-f]{8}-\d+$/)

  await query(
    service.config.databaseUrl,
    `create function disk_full() returns trigger language plpgsql as
       $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
     create trigger disk_full before insert or update on due for each row execute function disk_full()`,
  )
  const failed = [await send(2), await send(3)]
  expect(failed.map(({ status }) => status)).toEqual([503, 503])
  const ids = failed.map(({ headers }) => headers.get('x-request-id'))
  const told = linesWith('a batch could not be stored')
  expect(told.map(({ senders }) => senders)).toEqual(ids.map(id => [`request ${id}`]))
  expect(told.map(({ level }) => level)).toEqual([40, 20])
  expect(new Set(told.map(({ batch }) => batch)).size).toBe(2)
  expect(linesWith('nothing can be stored at the moment')).toHaveLength(1)
  for (const id of ids)
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', reqId: id, status: 503 }))

  await query(service.config.databaseUrl, 'drop trigger disk_full on due')
  service.clock.advance(10_000)
  expect((await send(4)).status).toBe(200)
  expect(linesWith('what arrives can be stored again')).toHaveLength(1)
})
