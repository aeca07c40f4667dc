import { afterAll, describe, expect, it } from 'vitest'
import { startApi } from '../../test/api.ts'

const ORIGIN = 'https://console.example'

const api = await startApi({ CORS_ORIGINS: ORIGIN })
const client = await api.client('Fleet')

afterAll(() => api.stop())

describe('replies', () => {
  it('tell caches that they depend on the language and on what is compressed, and on the origin where several may ask', async () => {
    const { headers } = await client.get('/devices', { origin: ORIGIN, 'accept-language': 'de' })
    expect(headers).toMatchObject({ 'content-language': 'de-DE', 'access-control-allow-origin': ORIGIN })
    expect(String(headers.vary).split(', ').toSorted()).toEqual(['Accept-Encoding', 'Accept-Language', 'Origin'])
    const foreign = await client.get('/devices', { origin: 'https://elsewhere.example' })
    expect(foreign.headers['access-control-allow-origin']).not.toBe('https://elsewhere.example')
  })

  it('let the pages of an allowed origin change things, too', async () => {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'DELETE' }
    const response = await api.inject({ method: 'OPTIONS', url: '/admin/users/1', headers })
    const allowed = String(response.headers['access-control-allow-methods']).split(', ')
    expect(allowed).toEqual(expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']))
  })

  it('come for HEAD without a body, also where a list is streamed', async () => {
    const headers = { authorization: `Bearer ${client.token}` }
    const response = await api.inject({ method: 'HEAD', url: '/cc/v2.0/trips', headers })
    expect([response.statusCode, response.body]).toEqual([200, ''])
  })

  it('name no program or version, and let no browser guess, frame or run anything', async () => {
    for (const url of ['/healthz', '/cc/v2.0/vehicles', '/nothing/here']) {
      const { headers } = await api.inject({ url })
      expect(headers).not.toHaveProperty('server')
      expect(headers).not.toHaveProperty('x-powered-by')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(String(headers['content-security-policy'])).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    }
  })

  it('of a path with an empty id are 404', async () => {
    for (const path of ['/devices/%20', '/trips/%20', '/trip/%20', '/vehicles/%20'])
      expect((await client.get(path)).statusCode).toBe(404)
  })

  it('give metrics away to nobody from another machine', async () => {
    const from = async (remoteAddress: string) => (await api.inject({ url: '/metrics', remoteAddress })).statusCode
    expect(await Promise.all(['127.0.0.1', '::1', '::ffff:127.0.0.1'].map(from))).toEqual([200, 200, 200])
    expect(await Promise.all(['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::1'].map(from))).toEqual([401, 401, 401])
  })
})
