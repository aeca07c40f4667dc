import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdministrationWorld, startAdministration } from '../../../../test/administration.ts'

let world: AdministrationWorld
let token: string

beforeAll(async () => {
  world = await startAdministration()
  await world.addAdministrator('chief@example.com', 'Fleet')
  token = (await world.logIn('chief@example.com')).accessToken
})
afterAll(() => world.stop())

const instant = expect.stringMatching(/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const ask = (method: string, path: string, body?: unknown) => world.ask(token, method, path, body)
const listed = async () => (await ask('GET', '/admin/keys')).body.keys as readonly Readonly<Record<string, unknown>>[]

test('a new key is shown once, opens what was granted, and nothing within a second of being revoked', async () => {
  const { status, body } = await ask('POST', '/admin/keys', { name: ' workshop ', permissions: ['trips'] })
  const { key, ...rest } = body
  expect(status).toBe(201)
  expect(rest).toEqual({
    id: expect.stringMatching(/^\d+$/),
    name: 'workshop',
    permissions: ['trips'],
    createdTimestamp: instant,
    expiresTimestamp: null,
  })
  expect(await listed()).toEqual([rest])
  expect(key).toMatch(/^tacho_/)
  expect((await world.ask(String(key), 'GET', '/cc/v2.0/trips')).status).toBe(200)
  expect((await world.ask(String(key), 'GET', '/cc/v2.0/devices')).status).toBe(403)
  expect(await world.statusesOf(String(key))).toEqual([200, 200])
  expect(await ask('DELETE', `/admin/keys/${String(rest.id)}`)).toEqual({ status: 204, body: {} })
  await sleep(1000)
  expect(await world.statusesOf(String(key))).toEqual([401, 401])
  expect(await listed()).toEqual([])
  expect((await ask('DELETE', `/admin/keys/${String(rest.id)}`)).status).toBe(404)
})

test('a key can be made to end by itself', async () => {
  const expiresTimestamp = new Date(Date.now() + 700).toISOString()
  const body = { name: 'brief', permissions: ['trips'], expiresTimestamp }
  const created = (await ask('POST', '/admin/keys', body)).body
  expect(created).toMatchObject({ expiresTimestamp })
  await sleep(1300)
  expect(await world.statusesOf(String(created.key))).toEqual([401, 401])
  expect(await listed()).toContainEqual(expect.objectContaining({ name: 'brief', expiresTimestamp }))
  const forever = await ask('POST', '/admin/keys', { ...body, expiresTimestamp: null })
  expect(forever).toMatchObject({ status: 201, body: { expiresTimestamp: null } })
  const local = await ask('POST', '/admin/keys', { ...body, expiresTimestamp: '2090-01-01T02:00:00+02:00' })
  expect(local.body.expiresTimestamp).toBe('2090-01-01T00:00:00.000Z')
})

describe('a key is refused', () => {
  test.each<[what: string, change: Readonly<Record<string, unknown>>, words: RegExp]>([
    ['no name', { name: ' ' }, /^name .*1 to 100/],
    ['a name of two lines', { name: 'a\nb' }, /^name /],
    ['a name that nobody sees', { name: '\u200b\u202e' }, /^name /],
    ['half a character', { name: 'a\ud83d' }, /^name /],
    ['a long name', { name: 'x'.repeat(101) }, /^name /],
    ['an end that is past', { expiresTimestamp: '2020-01-01' }, /^expiresTimestamp .*past/],
    ['an end that is no time', { expiresTimestamp: 'tomorrow' }, /^expiresTimestamp .*ISO 8601/],
    ['an unknown permission', { permissions: ['all'] }, /^permissions.*one of/],
    ['a field that there is not', { accountId: 2 }, /^accountId /],
  ])('with %s', async (_what, change, words) => {
    const before = await listed()
    const { status, body } = await ask('POST', '/admin/keys', { name: 'wrong', permissions: ['trips'], ...change })
    expect([status, body]).toEqual([400, { errorMessage: expect.stringMatching(words) }])
    expect(await listed()).toEqual(before)
  })

  test('by its prefix, which only the command line takes', async () => {
    const { key } = (await ask('POST', '/admin/keys', { name: 'prefixed', permissions: ['trips'] })).body
    expect((await ask('DELETE', `/admin/keys/${String(key).slice(0, 12)}`)).status).toBe(404)
    expect(await world.statusesOf(String(key))).toEqual([200, 200])
  })
})

test('keys of another account are neither shown nor revoked', async () => {
  const stranger = await world.service.key('Strangers')
  const { id } = (await ask('POST', '/admin/keys', { name: 'ours', permissions: ['trips'] })).body
  const shown = await world.ask(stranger, 'GET', '/admin/keys')
  expect(shown.body.keys).toMatchObject([{ name: 'test' }])
  expect((await world.ask(stranger, 'DELETE', `/admin/keys/${String(id)}`)).status).toBe(404)
  expect(await listed()).toContainEqual(expect.objectContaining({ id }))
})

test('the log says who made and revoked which key, and never holds a key', async () => {
  const { id, key } = (await ask('POST', '/admin/keys', { name: 'logged', permissions: ['trips'] })).body
  await ask('DELETE', `/admin/keys/${String(id)}`)
  const lines = world.log().filter(({ msg }) => msg === 'administration')
  const administrator = { kind: 'user', name: 'chief@example.com' }
  expect(lines.slice(-2)).toMatchObject([
    { administrator, change: { action: 'key created', keyId: Number(id), keyName: 'logged' } },
    { administrator, change: { action: 'key revoked', keyId: Number(id), keyName: 'logged' } },
  ])
  expect(JSON.stringify(world.log())).not.toContain(String(key).slice(0, 20))
})
