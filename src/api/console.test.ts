import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consolePages } from './pages.ts'

let root: string
/** Tacho may be installed anywhere, also below a folder of this name. */
let folder: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tacho-console-'))
  folder = join(root, 'assets', 'console')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(folder, 'index.html'), '<!doctype html><script src="/assets/index-1a2b.js"></script>')
  await writeFile(join(folder, 'assets', 'index-1a2b.js'), 'document.title = "Tacho"')
  await writeFile(join(folder, 'assets', 'index-1a2b.js.br'), 'compressed')
  await writeFile(join(root, 'secret.txt'), 'secret')
})
afterAll(() => rm(root, { recursive: true }))

async function withConsole(mapStyleUrl: string | undefined, use: (server: FastifyInstance) => Promise<void>) {
  const server = fastify()
  await consolePages(server, { mapStyleUrl, map: undefined, teltonikaPort: 5028 }, folder)
  await use(server)
  await server.close()
}

describe('the files of the console', () => {
  it('are kept by browsers, but the page that names them is asked for each time', () =>
    withConsole(undefined, async server => {
      const file = await server.inject('/assets/index-1a2b.js')
      expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable')
      for (const url of ['/', '/index.html']) {
        const { headers } = await server.inject(url)
        expect(headers['cache-control']).toBe('no-cache')
        const again = await server.inject({ url, headers: { 'if-none-match': String(headers.etag) } })
        expect(again.statusCode).toBe(304)
      }
    }))

  it('are sent as the build compressed them to who can read that', () =>
    withConsole(undefined, async server => {
      const url = '/assets/index-1a2b.js'
      const { body, headers } = await server.inject({ url, headers: { 'accept-encoding': 'br' } })
      expect([body, headers['content-encoding']]).toEqual(['compressed', 'br'])
      expect((await server.inject(url)).body).toBe('document.title = "Tacho"')
    }))

  it.each([
    '/assets/',
    '/assets/index-1a2b.js.br',
    '/assets/../../secret.txt',
    '/..%2f..%2fsecret.txt',
    '/%2e%2e/%2e%2e/secret.txt',
    '/..%5csecret.txt',
  ])('are all that is handed out: not %s', url =>
    withConsole(undefined, async server => {
      const { statusCode } = await server.inject(url)
      expect(statusCode).toBe(404)
    }),
  )
})

describe('the console asks', () => {
  it.each([
    [undefined, "'self'"],
    ['https://maps.example/style.json?key=a;b', "'self' https:"],
    ['http://maps.example/style.json', "'self' http: https:"],
  ])('whom the base map %s needs', (mapStyleUrl, allowed) =>
    withConsole(mapStyleUrl, async server => {
      const { headers } = await server.inject('/')
      expect(String(headers['content-security-policy']).split('; ')).toContain(`connect-src ${allowed}`)
      expect((await server.inject('/console/settings')).json()).toEqual({
        mapStyleUrl: mapStyleUrl ?? null,
        teltonikaPort: 5028,
      })
    }),
  )
})
