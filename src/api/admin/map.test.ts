import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { startAdministration } from '../../../test/administration.ts'
import { startApi } from '../../../test/api.ts'
import { readConfig } from '../../config.ts'
import { consolePages } from '../pages.ts'
import { BaseMap } from './map.ts'

/** Of a third node. */

const world = await startAdministration()
await world.addAdministrator('operator@example.com', 'Fleet')
await world.addAdministrator('customer@example.com', 'Customer')
const folder = await mkdtemp(join(tmpdir(), 'tacho-pages-'))
await writeFile(join(folder, 'index.html'), '<!doctype html>')
const baseMap = new BaseMap(readConfig({}), world.service.database.checks)
const pages = fastify()
await consolePages(pages, { shownMap: () => baseMap.shown(), map: undefined, teltonikaPort: 0 }, folder)
afterAll(async () => {
  await pages.close()
  await world.stop()
  await rm(folder, { recursive: true })
})

const servers = async () =>
  /connect-src ([^;]*)/.exec(String((await pages.inject('/')).headers['content-security-policy']))?.[1]

test('the operator is asked once; the choice is that of every node, and says whom browsers may ask', async () => {
  const { accessToken } = await world.logIn('operator@example.com')
  expect((await world.ask(accessToken, 'GET', '/admin/map')).body).toEqual({
    choice: null,
    fixedBy: null,
    mayChoose: true,
  })
  expect(await servers()).toBe("'self'")
  expect(await world.ask(accessToken, 'PUT', '/admin/map', { choice: 'openstreetmap' })).toEqual({
    status: 200,
    body: { choice: 'openstreetmap', fixedBy: null, mayChoose: true },
  })
  expect((await world.ask(accessToken, 'GET', '/admin/map')).body).toMatchObject({ choice: 'openstreetmap' })
  for (const told of [
    async () => (await world.ask(accessToken, 'GET', '/admin/map', undefined, 'second')).body.choice,
    async () => (await pages.inject('/console/settings')).json().mapChoice,
  ])
    await expect.poll(told, { timeout: 1000 }).toBe('openstreetmap')
  expect(await servers()).toBe("'self' https://tile.openstreetmap.org")
  // Its rules refuse pages that do not say where they are from.
  expect((await pages.inject('/')).headers['referrer-policy']).toBe('strict-origin')
  await world.ask(accessToken, 'PUT', '/admin/map', { choice: 'none' })
  await expect.poll(servers, { timeout: 1000 }).toBe("'self'")
  const { body } = await world.ask(accessToken, 'GET', '/admin/security-log?kind=map-chosen')
  expect(body.lines).toMatchObject([
    { caller: { name: 'operator@example.com' }, details: { object: 'none' } },
    { details: { object: 'openstreetmap' } },
  ])
})

test('administrators of other accounts do not choose for everybody', async () => {
  const { accessToken } = await world.logIn('customer@example.com')
  expect((await world.ask(accessToken, 'GET', '/admin/map')).body).toMatchObject({ mayChoose: false })
  expect((await world.ask(accessToken, 'PUT', '/admin/map', { choice: 'openfreemap' })).status).toBe(403)
})

test('a setting goes first, and its name is said', async () => {
  const api = await startApi({ MAP_SOURCE: 'none' })
  const { token } = await api.client('Fleet')
  const ask = (method: 'GET' | 'PUT', payload?: object) =>
    api.inject({
      method,
      url: '/admin/map',
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    })
  expect((await ask('GET')).json()).toEqual({ choice: 'none', fixedBy: 'MAP_SOURCE', mayChoose: false })
  const { statusCode, body } = await ask('PUT', { choice: 'openfreemap' })
  expect([statusCode, body]).toEqual([409, expect.stringContaining('The setting MAP_SOURCE says which map is shown.')])
  await api.stop()
})
