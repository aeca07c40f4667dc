import { afterAll, describe, expect, it } from 'vitest'
import { apiServerOn } from '../../test/api.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'

const database = openDatabase({ url: 'postgresql://localhost:1/none' })
const server = await apiServerOn(database, readConfig({}))

afterAll(async () => {
  await server.close()
  await database.close()
})

describe('/docs', () => {
  it.each(['/docs', '/docs/'])('%s is a page whose parts are all here', async path => {
    const page = await server.inject(path)
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1] ?? '')
    expect(links.length).toBeGreaterThan(4)
    for (const link of links) {
      const { pathname, host } = new URL(link, `http://here${path}`)
      expect(host).toBe('here')
      expect((await server.inject(pathname)).statusCode).toBe(200)
    }
    // No scripts in the page itself: its policy would stop them.
    expect(page.body).not.toMatch(/<script[^>]*>\s*[^<\s]/)
  })

  it('asks for the document that /openapi.json answers', async () => {
    expect((await server.inject('/docs/static/swagger-initializer.js')).body).toContain("resolveUrl('./json')")
    expect((await server.inject('/docs/json')).json()).toEqual((await server.inject('/openapi.json')).json())
  })

  it('may use what this server has and nothing else', async () => {
    for (const path of ['/docs', '/docs/static/swagger-ui-bundle.js']) {
      const policy = String((await server.inject(path)).headers['content-security-policy'])
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).not.toMatch(/https?:|upgrade-insecure-requests|script-src[^;]*unsafe/)
    }
  })

  it('leaves the policy of data as it is: nothing may be rendered', async () => {
    for (const url of ['/cc/v2.0/devices', '/openapi.json', '/nowhere'])
      expect((await server.inject(url)).headers['content-security-policy']).toBe(
        "default-src 'none';frame-ancestors 'none'",
      )
  })
})
