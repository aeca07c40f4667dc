import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from './service.ts'
import { tlsFixture } from './tls-files.ts'

const METRICS_TOKEN = 'a-token-of-prometheus'

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

describe('the service with a certificate', () => {
  const { certFile, keyFile } = tlsFixture('former')
  const agent = new Agent({ ca: readFileSync(certFile), keepAlive: true })
  let service: TestService
  let key = ''
  beforeAll(async () => {
    service = await startService({ TLS_CERT: certFile, TLS_KEY: keyFile, METRICS_TOKEN })
    key = await service.key('Fleet')
  })
  afterAll(async () => {
    // A connection that is kept alive does not hold the stop.
    await service.stop()
    agent.destroy()
  })

  async function ask(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const sent = request(service.url.replace('http:', 'https:') + path, { agent, headers })
    sent.end()
    const [reply] = await once(sent, 'response')
    let body = ''
    for await (const chunk of reply) body += String(chunk)
    return { status: reply.statusCode, headers: reply.headers, body }
  }

  it('speaks TLS, and tells browsers to come back that way only', async () => {
    const reply = await ask('/cc/v2.0/vehicles', { authorization: `Bearer ${key}` })
    expect(reply.status).toBe(200)
    expect(reply.headers['strict-transport-security']).toBe('max-age=15552000')
  })

  it('answers nothing that is not encrypted', async () => {
    const sent = plainRequest(`${service.url}/healthz`)
    sent.end()
    await expect(once(sent, 'response')).rejects.toThrow(/hang up|reset/)
  })

  it('keeps metrics for who has the token, also those of the intake', async () => {
    expect((await ask('/metrics')).status).toBe(401)
    expect((await ask('/metrics', { authorization: `Bearer ${key}` })).status).toBe(401)
    const { status, body } = await ask('/metrics', { authorization: `Bearer ${METRICS_TOKEN}` })
    expect(status).toBe(200)
    expect(body).toContain('role="intake"')
    expect((await fetch(`${service.intakeUrl}/metrics`)).status).toBe(401)
  })
})

describe('the service as it is set up at first', () => {
  let service: TestService
  let authorization = ''
  beforeAll(async () => {
    service = await startService()
    authorization = `Bearer ${await service.key('Fleet')}`
  })
  afterAll(() => service.stop())

  it('promises nothing about TLS', async () => {
    const reply = await fetch(`${service.baseUrl}/vehicles`, { headers: { authorization } })
    expect(reply.headers.has('strict-transport-security')).toBe(false)
  })

  it('shows metrics to this machine, and not to what a proxy passes on', async () => {
    expect((await fetch(`${service.url}/metrics`)).status).toBe(200)
    const passedOn = await fetch(`${service.url}/metrics`, { headers: { 'x-forwarded-for': '192.0.2.1' } })
    expect(passedOn.status).toBe(401)
    expect(await passedOn.json()).toEqual({
      errorMessage: 'Metrics are for this machine alone, unless METRICS_TOKEN is set.',
    })
  })

  it.each([
    '/cc/v2.0/vehicles',
    '/cc/v2.0/vehicles/none',
    '/cc/v2.0/events',
    '/cc/v2.0/units',
    '/auth/session',
    '/admin/users',
  ])('lets no cache keep %s', async path => {
    const reply = await fetch(service.url + path, { headers: { authorization } })
    expect(reply.headers.get('cache-control')).toBe('no-store')
  })

  it('still answers 304 to who kept an object', async () => {
    const headers = { authorization, 'content-type': 'application/json' }
    await fetch(`${service.url}/admin/devices`, { method: 'POST', headers, body: '{"deviceId": 356307042441013}' })
    const first = await fetch(`${service.baseUrl}/devices/356307042441013`, { headers })
    const tag = first.headers.get('etag') ?? ''
    const again = await fetch(`${service.baseUrl}/devices/356307042441013`, {
      headers: { ...headers, 'if-none-match': tag },
    })
    expect([first.status, again.status, again.headers.get('cache-control')]).toEqual([200, 304, 'no-store'])
  })
})

// Every address of 127.0.0.0/8 is this machine: of Linux without further ado.
describe.runIf(process.platform === 'linux')('the door of the API on another address', () => {
  it('takes neither that of dongles nor that of the intake with it', async () => {
    const service = await startService({ HOST: '127.0.0.2' })
    try {
      const from = (url: string) => fetch(url.replace('127.0.0.1', '127.0.0.2'))
      expect((await from(`${service.url}/healthz`)).status).toBe(200)
      await expect(from(`${service.intakeUrl}/healthz`)).rejects.toThrow('fetch failed')
      await expect(from(`http://127.0.0.1:${service.teltonikaPort}/`)).rejects.toThrow('fetch failed')
    } finally {
      await service.stop()
    }
  })
})
