import { afterAll, describe, expect, test } from 'vitest'
import { startAdministration } from '../../../test/administration.ts'
import { eventually } from '../../../test/eventually.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'

const world = await startAdministration()
await world.addAdministrator('chief@example.com', 'Fleet')
const token = (await world.logIn('chief@example.com')).accessToken
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
    madeBy: { kind: 'user', id: expect.stringMatching(/^\d+$/), name: 'chief@example.com' },
    isResting: false,
  })
  expect(await listed()).toEqual([rest])
  expect(key).toMatch(/^tacho_/)
  expect((await world.ask(String(key), 'GET', '/cc/v2.0/trips')).status).toBe(200)
  expect((await world.ask(String(key), 'GET', '/cc/v2.0/devices')).status).toBe(403)
  expect(await world.statusesOf(String(key))).toEqual([200, 200])
  expect(await ask('DELETE', `/admin/keys/${String(rest.id)}`)).toEqual({ status: 204, body: {} })
  await eventually(async () => expect(await world.statusesOf(String(key))).toEqual([401, 401]), 1000)
  expect(await listed()).toEqual([])
  expect((await ask('DELETE', `/admin/keys/${String(rest.id)}`)).status).toBe(404)
})

test('a key can be made to end by itself', async () => {
  const expiresTimestamp = new Date(Date.now() + 3_600_000).toISOString()
  const body = { name: 'brief', permissions: ['trips'], expiresTimestamp }
  const created = (await ask('POST', '/admin/keys', body)).body
  expect(created).toMatchObject({ expiresTimestamp })
  expect(await world.statusesOf(String(created.key))).toEqual([200, 200])
  expect(await listed()).toContainEqual(expect.objectContaining({ name: 'brief', expiresTimestamp }))
  // The hour passes.
  await writeTransaction(world.service.database, transaction =>
    transaction.rows(sql`update api_keys set expires = expires - interval '1 hour' where name = 'brief'`),
  )
  await eventually(async () => expect(await world.statusesOf(String(created.key))).toEqual([401, 401]), 1000)
  expect(await listed()).toContainEqual(expect.objectContaining({ name: 'brief' }))
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

describe('a key rests on the right of whoever made it', () => {
  let makers = 0
  /** Another administrator, and a key with every permission that it made. */
  const makerWithKey = async () => {
    makers++
    const email = `maker${makers}@example.com`
    const userId = await world.addAdministrator(email, 'Fleet')
    const own = (await world.logIn(email)).accessToken
    const body = { name: `of maker ${makers}`, permissions: ['administration', 'trips'] }
    const { id, key } = (await world.ask(own, 'POST', '/admin/keys', body)).body
    return { userId, id: String(id), key: String(key) }
  }
  const taking = (id: string, by = token) => world.ask(by, 'POST', `/admin/keys/${id}/take-over`)

  test('it opens nothing within a second of its maker being removed, and is listed as resting', async () => {
    const { userId, id, key } = await makerWithKey()
    expect(await world.statusesOf(key)).toEqual([200, 200])
    await ask('DELETE', `/admin/users/${userId}`)
    await eventually(async () => expect(await world.statusesOf(key)).toEqual([401, 401]), 1000)
    expect(await listed()).toContainEqual(expect.objectContaining({ id, isResting: true }))
  })

  test('so it does when its maker loses administration, and works again when that is given back', async () => {
    const { userId, key } = await makerWithKey()
    await ask('PATCH', `/admin/users/${userId}`, { permissions: ['trips'] })
    await eventually(async () => expect(await world.statusesOf(key)).toEqual([401, 401]), 1000)
    await ask('PATCH', `/admin/users/${userId}`, { permissions: ['administration'] })
    await eventually(async () => expect(await world.statusesOf(key)).toEqual([200, 200]), 1000)
  })

  test('another administrator takes it over, before or after: then it goes on', async () => {
    const [before, after] = [await makerWithKey(), await makerWithKey()]
    const taken = await taking(before.id)
    expect(taken).toMatchObject({ status: 200, body: { madeBy: { name: 'chief@example.com' }, isResting: false } })
    for (const { userId } of [before, after]) await ask('DELETE', `/admin/users/${userId}`)
    const statuses = () => Promise.all([before, after].map(({ key }) => world.statusesOf(key)))
    const wanted = [
      [200, 200],
      [401, 401],
    ]
    await eventually(async () => expect(await statuses()).toEqual(wanted), 1000)
    await taking(after.id)
    await eventually(async () => expect(await world.statusesOf(after.key)).toEqual([200, 200]), 1000)
  })

  test('a key made by a key ends with that key, and with who made that', async () => {
    const { userId, id, key } = await makerWithKey()
    const body = { name: 'grandchild', permissions: ['administration'] }
    const made = await world.ask(key, 'POST', '/admin/keys', body)
    expect(made).toMatchObject({ status: 201, body: { madeBy: { kind: 'key', id } } })
    const grandchild = String(made.body.key)
    expect((await world.ask(grandchild, 'POST', '/admin/keys', body)).status).toBe(403)
    expect((await taking(id, grandchild)).status).toBe(403)
    await ask('DELETE', `/admin/users/${userId}`)
    await eventually(async () => expect(await world.statusesOf(grandchild)).toEqual([401, 401]), 1000)
    await taking(id)
    await eventually(async () => expect(await world.statusesOf(grandchild)).toEqual([200, 200]), 1000)
    await ask('DELETE', `/admin/keys/${id}`)
    await eventually(async () => expect(await world.statusesOf(grandchild)).toEqual([401, 401]), 1000)
  })

  test('what the operator made rests on nobody', async () => {
    const key = await world.service.key('Fleet')
    expect(await listed()).toContainEqual(expect.objectContaining({ name: 'test', madeBy: null, isResting: false }))
    expect(await world.statusesOf(key)).toEqual([200, 200])
  })
})
