import pino from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { startApiRole } from '../app.ts'

const lines: Record<string, unknown>[] = []
const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
const service = await startService({ TRUSTED_PROXIES: '127.0.0.1' }, log)
afterAll(() => service.stop())

const SILENT = pino({ level: 'silent' })
const readiness = async (url: string) => {
  const reply = await fetch(`${url}/readyz`)
  return { status: reply.status, retryAfter: reply.headers.get('retry-after'), body: await reply.json() }
}

describe('/readyz', () => {
  test('names every part when all are ready', async () => {
    const ready = { status: 'ready' }
    expect(await readiness(service.url)).toEqual({
      status: 200,
      retryAfter: null,
      body: { status: 'ready', parts: { database: ready, intake: ready, storing: ready } },
    })
    expect(await readiness(service.intakeUrl)).toMatchObject({
      status: 200,
      body: { parts: { database: ready, storing: ready } },
    })
  })

  test('says that the intake does not run, and that the database does', async () => {
    const api = await startApiRole({ config: service.config, log: SILENT, intakeUrl: () => undefined })
    const reason = 'The intake is not running.'
    expect(await readiness(`http://127.0.0.1:${api.port}`)).toEqual({
      status: 503,
      retryAfter: '2',
      body: {
        errorMessage: expect.stringMatching(/^The intake is not running\. Request id: [\w-]+\.$/),
        status: 'not ready',
        parts: { database: { status: 'ready' }, intake: { status: 'not ready', reason } },
      },
    })
    await api.stop()
  })

  test('says that the database cannot be reached, and nothing of where it is or who enters', async () => {
    const databaseUrl = 'postgresql://somebody:secret@127.0.0.1:1/private'
    const config = { ...service.config, databaseUrl }
    const api = await startApiRole({ config, log: SILENT, intakeUrl: () => service.intakeUrl })
    const { status, body } = await readiness(`http://127.0.0.1:${api.port}`)
    expect([status, body]).toEqual([
      503,
      {
        errorMessage: expect.stringContaining('The database cannot be reached at the moment.'),
        status: 'not ready',
        parts: {
          database: { status: 'not ready', reason: 'The database cannot be reached at the moment.' },
          intake: { status: 'ready' },
          storing: { status: 'ready' },
        },
      },
    ])
    expect(JSON.stringify(body)).not.toMatch(/somebody|secret|private|127\.0\.0\.1/)
    await api.stop()
  })
})

describe('ids of requests', () => {
  const lineOf = (id: string | null) => lines.find(({ reqId, msg }) => reqId === id && msg === 'request')

  test('lead from any answer to its line in the log', async () => {
    for (const path of ['/cc/v2.0/units', '/cc/v2.0/nothing', '/auth/token', '/docs/']) {
      const { headers, status } = await fetch(service.url + path)
      await expect.poll(() => lineOf(headers.get('x-request-id'))).toMatchObject({ status })
    }
  })

  test('are those that a trusted proxy gave, through the api process to the intake and its batch', async () => {
    const key = await service.key('Fleet', ['ingest'])
    const reply = await fetch(`${service.url}/ingest/events`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-request-id': 'from-the-proxy.17',
      },
      body: JSON.stringify([
        {
          deviceId: 356307042441013,
          recordedTimestamp: '2026-01-15T08:00:00Z',
          eventType: 'BATTERY_VOLTAGE',
          value: 12.5,
        },
      ]),
    })
    expect([reply.status, reply.headers.get('x-request-id')]).toEqual([200, 'from-the-proxy.17'])
    await expect.poll(() => lineOf('from-the-proxy.17')).toMatchObject({ path: '/ingest/events', status: 200 })
  })
})
