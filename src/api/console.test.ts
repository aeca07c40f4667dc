import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { BaseMap } from './admin/map.ts'
import { consolePages } from './pages.ts'

let root: string
/** Tacho may be installed anywhere, also below a folder of this name. */
let folder: string
/** The page is there without one, too: to say that it is not there. */
let noDatabase: Database

beforeAll(async () => {
  noDatabase = openDatabase({ url: 'postgresql://localhost:1/none' })
  root = await mkdtemp(join(tmpdir(), 'tacho-console-'))
  folder = join(root, 'assets', 'console')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(folder, 'index.html'), '<!doctype html><script src="/assets/index-1a2b.js"></script>')
  await writeFile(join(folder, 'assets', 'index-1a2b.js'), 'document.title = "Tacho"')
  await writeFile(join(folder, 'assets', 'index-1a2b.js.br'), 'compressed')
  await writeFile(join(root, 'secret.txt'), 'secret')
})
afterAll(async () => {
  await noDatabase.close()
  await rm(root, { recursive: true })
})

async function withConsole(environment: Record<string, string>, use: (server: FastifyInstance) => Promise<void>) {
  const server = fastify()
  const baseMap = new BaseMap(readConfig(environment), noDatabase.checks)
  await consolePages(server, { shownMap: () => baseMap.shown(), map: undefined, teltonikaPort: 5028 }, folder)
  await use(server)
  await server.close()
}

describe('the files of the console', () => {
  it('are kept by browsers, but not the page that names them and says whom it may ask', () =>
    withConsole({}, async server => {
      const file = await server.inject('/assets/index-1a2b.js')
      expect(file.headers['cache-control']).toBe('public, max-age=31536000, immutable')
      // The map's worker is kept, too, and must do for the next choice of a map.
      expect(file.headers['content-security-policy']).toMatch(/connect-src 'self' http: https:$/)
      for (const url of ['/', '/index.html']) {
        const { headers } = await server.inject(url)
        expect(headers['cache-control']).toBe('no-store')
      }
    }))

  it('are sent as the build compressed them to who can read that', () =>
    withConsole({}, async server => {
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
    withConsole({}, async server => {
      const { statusCode } = await server.inject(url)
      expect(statusCode).toBe(404)
    }),
  )
})

describe('the console asks', () => {
  it.each([
    [{}, '', { mapChoice: null, mapFixedBy: null, teltonikaPort: 5028 }],
    [{ MAP_STYLE_URL: 'https://maps.example/a.json?key=a;b' }, ' https:', { mapFixedBy: 'MAP_STYLE_URL' }],
    [{ MAP_STYLE_URL: 'http://maps.example/a.json' }, ' http: https:', { mapStyleUrl: 'http://maps.example/a.json' }],
    [
      { MAP_SOURCE: 'openfreemap', MAP_FILE: 'region.pmtiles' },
      ' https://tiles.openfreemap.org',
      { mapChoice: 'openfreemap', mapFixedBy: 'MAP_SOURCE', mapStyleUrl: expect.stringMatching(/\/liberty$/) },
    ],
    [{ MAP_FILE: 'region.pmtiles' }, '', { mapChoice: 'file', mapFixedBy: 'MAP_FILE', mapStyleUrl: null }],
    [
      { MAP_SATELLITE_URL: 'https://sky.example/{z}/{y}/{x}', MAP_SATELLITE_ATTRIBUTION: '© Sky' },
      ' https://sky.example',
      { satellite: { url: 'https://sky.example/{z}/{y}/{x}', maxZoom: 18, attribution: '© Sky' } },
    ],
  ])('whom the base map of %o needs', (environment, allowed, told) =>
    withConsole(environment, async server => {
      const { headers } = await server.inject('/')
      expect(String(headers['content-security-policy']).split('; ')).toContain(`connect-src 'self'${allowed}`)
      expect((await server.inject('/console/settings')).json()).toMatchObject(told)
    }),
  )
})
