import { afterAll, describe, expect, test } from 'vitest'
import { type Answer, PASSWORD, startAdministration } from '../../../test/administration.ts'
import { eventually } from '../../../test/eventually.ts'
import { ALL_PERMISSIONS } from '../../catalogue/permissions.ts'

let serial = 0

const world = await startAdministration()
const chief = 'chief@example.com'
const chiefId = await world.addAdministrator(chief, 'Fleet')
const token = (await world.logIn(chief)).accessToken
afterAll(() => world.stop())

const instant = expect.stringMatching(/^2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const ask = (method: string, path: string, body?: unknown) => world.ask(token, method, path, body)
const refusal = (...words: string[]): Answer => ({
  status: 400,
  body: { errorMessage: expect.stringMatching(new RegExp(words.join('.*'))) },
})
const newEmail = () => `somebody${++serial}@example.com`

async function addUser(permissions: readonly string[] = ['trips']): Promise<{ id: string; email: string }> {
  const email = newEmail()
  const { status, body } = await ask('POST', '/admin/users', { email, password: PASSWORD, permissions })
  expect(status).toBe(201)
  return { id: String(body.id), email }
}

async function listed(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await ask('GET', '/admin/users')).body.users as Readonly<Record<string, unknown>>[]
}

describe('a new user', () => {
  test('can log in at once, sees what was granted, and is listed with the time of the login', async () => {
    const email = newEmail()
    const created = await ask('POST', '/admin/users', { email, password: PASSWORD, permissions: ['trips', 'devices'] })
    const user = {
      id: expect.stringMatching(/^\d+$/),
      email,
      permissions: ['trips', 'devices'],
      createdTimestamp: instant,
      lastLoginTimestamp: null,
    }
    expect(created).toEqual({ status: 201, body: user })
    expect(await listed()).toContainEqual(user)
    const { accessToken } = await world.logIn(email)
    expect((await world.ask(accessToken, 'GET', '/cc/v2.0/trips')).status).toBe(200)
    expect((await world.ask(accessToken, 'GET', '/cc/v2.0/vehicles')).status).toBe(403)
    expect((await world.ask(accessToken, 'GET', '/admin/users')).status).toBe(403)
    expect(await listed()).toContainEqual({ ...user, lastLoginTimestamp: instant })
  })

  test('can be an administrator, whatever the one who grants it may see', async () => {
    const onlyAdministrator = await world.service.key('Fleet', ['administration'])
    const body = { email: newEmail(), password: PASSWORD, permissions: ALL_PERMISSIONS }
    expect((await world.ask(onlyAdministrator, 'POST', '/admin/users', body)).status).toBe(201)
  })

  test.each<[what: string, change: Readonly<Record<string, unknown>>, words: readonly string[]]>([
    ['an address that a user has, in other letters', { email: 'CHIEF@example.com' }, ['email', 'already']],
    ['no address', { email: 'nobody' }, ['email', 'not an e-mail address']],
    ['an address that no mail system takes', { email: `${'x'.repeat(250)}@example.com` }, ['email']],
    ['an address with NUL', { email: 'a\0@example.com' }, ['email']],
    ['an address with half a character', { email: 'a\ud83d@example.com' }, ['email']],
    ['a short password', { password: 'eleven_char' }, ['password', '12']],
    ['a common password', { password: 'password1234' }, ['password', 'too easy to guess']],
    [
      'the e-mail address as the password',
      { email: 'ann.meyer@example.com', password: 'ann.meyer@example.com' },
      ['password', 'e-mail'],
    ],
    ['a password that is no text', { password: 12_345_678 }, ['password']],
    ['no permission', { permissions: [] }, ['permissions']],
    ['an unknown permission', { permissions: ['trips', 'teleport'] }, ['permissions', 'one of devices, vehicles']],
    ['a permission twice', { permissions: ['trips', 'trips'] }, ['permissions']],
    ['a field that there is not', { role: 'boss' }, ['role']],
    ['a missing field', { email: undefined }, ['email is missing']],
  ])('is refused with %s, in words that name it', async (_what, change, words) => {
    const before = await listed()
    const body = { email: newEmail(), password: PASSWORD, permissions: ['trips'], ...change }
    expect(await ask('POST', '/admin/users', body)).toEqual(refusal(...words))
    expect(await listed()).toEqual(before)
  })
})

describe('a change', () => {
  test('of permissions acts on all nodes within a second', async () => {
    const { id, email } = await addUser(['trips'])
    const { accessToken } = await world.logIn(email)
    const statuses = () =>
      Promise.all(
        [world.service.url, world.secondApi.url].flatMap(url =>
          ['trips', 'devices'].map(async path => {
            const headers = { authorization: `Bearer ${accessToken}` }
            return (await fetch(`${url}/cc/v2.0/${path}`, { headers })).status
          }),
        ),
      )
    expect(await statuses()).toEqual([200, 403, 200, 403])
    const changed = await ask('PATCH', `/admin/users/${id}`, { permissions: ['devices'] })
    expect(changed).toMatchObject({ status: 200, body: { id, email, permissions: ['devices'] } })
    await eventually(async () => expect(await statuses()).toEqual([403, 200, 403, 200]), 1000)
  })

  test('of the password ends all logins within a second, and lets nobody in with the old one', async () => {
    const { id, email } = await addUser()
    const before = await world.logIn(email)
    const changed = await ask('PATCH', `/admin/users/${id}`, { password: 'another password' })
    expect(changed).toMatchObject({ status: 200, body: { permissions: ['trips'] } })
    await eventually(async () => expect(await world.statusesOf(before.accessToken)).toEqual([401, 401]), 1000)
    expect(await world.exchange({ grant_type: 'refresh_token', refresh_token: before.refreshToken })).toBe(400)
    expect(await world.exchange({ grant_type: 'password', username: email, password: PASSWORD })).toBe(400)
    const { accessToken } = await world.logIn(email, 'another password')
    expect(await world.statusesOf(accessToken)).toEqual([200, 200])
  })

  test.each<[what: string, body: unknown, words: readonly string[]]>([
    ['nothing', {}, ['The body']],
    ['an address', { email: 'x@example.com' }, ['email']],
    ['a short password', { password: 'short' }, ['password']],
    ['a common password', { password: 'qwertyuiopasdf' }, ['password', 'too easy to guess']],
    ['no permission', { permissions: [] }, ['permissions']],
    ['a null', { permissions: null }, ['permissions']],
    ['a list', [], ['The body']],
  ])('to %s is refused', async (_what, body, words) => {
    const { id } = await addUser()
    const before = await listed()
    expect(await ask('PATCH', `/admin/users/${id}`, body)).toEqual(refusal(...words))
    expect(await listed()).toEqual(before)
  })

  test('of somebody who is not there, or was removed, finds nobody', async () => {
    const { id } = await addUser()
    expect((await ask('DELETE', `/admin/users/${id}`)).status).toBe(204)
    for (const missing of [id, '999999999', '99999999999999', '0', '-1', 'x', "1'--", '1.5'])
      for (const [method, body] of [['PATCH', { permissions: ['trips'] }], ['DELETE']] as const) {
        const path = `/admin/users/${encodeURIComponent(missing)}`
        expect(await ask(method, path, body)).toEqual({
          status: 404,
          body: { errorMessage: `The user ${missing} was not found.` },
        })
      }
  })
})

describe('removing', () => {
  test('ends all logins within a second; the address can be given again', async () => {
    const { id, email } = await addUser()
    const { accessToken, refreshToken } = await world.logIn(email)
    expect(await ask('DELETE', `/admin/users/${id}`)).toEqual({ status: 204, body: {} })
    expect(JSON.stringify(await listed())).not.toContain(email)
    await eventually(async () => expect(await world.statusesOf(accessToken)).toEqual([401, 401]), 1000)
    expect(await world.exchange({ grant_type: 'refresh_token', refresh_token: refreshToken })).toBe(400)
    expect(await world.exchange({ grant_type: 'password', username: email, password: PASSWORD })).toBe(400)
    const again = await ask('POST', '/admin/users', { email, password: PASSWORD, permissions: ['trips'] })
    expect(again.status).toBe(201)
    expect(again.body.id).not.toBe(id)
  })

  test('nobody removes oneself', async () => {
    await addUser(['administration'])
    expect(await ask('DELETE', `/admin/users/${chiefId}`)).toEqual(refusal('yourself'))
    expect(await world.statusesOf(token)).toEqual([200, 200])
  })
})

describe('somebody can always administrate', () => {
  test('the last who can keeps the permission and stays', async () => {
    const id = await world.addAdministrator('alone@example.com', 'Alone')
    // Administrators of other accounts, keys, and users without the permission do not count.
    const key = await world.service.key('Alone')
    const body = { email: newEmail(), password: PASSWORD, permissions: ['trips'] }
    expect((await world.ask(key, 'POST', '/admin/users', body)).status).toBe(201)
    const path = `/admin/users/${id}`
    expect(await world.ask(key, 'PATCH', path, { permissions: ['trips'] })).toEqual(refusal('last user'))
    expect(await world.ask(key, 'DELETE', path)).toEqual(refusal('last user'))
    const fewer = { permissions: ['administration'], password: 'a new password' }
    expect((await world.ask(key, 'PATCH', path, fewer)).status).toBe(200)
    const { accessToken } = await world.logIn('alone@example.com', 'a new password')
    expect((await world.ask(accessToken, 'GET', '/admin/users')).status).toBe(200)
  })

  test('of administrators who are all removed at once, one stays', async () => {
    const count = 4
    for (let round = 0; round < 4; round++) {
      const account = `Rivals ${round}`
      const emails = Array.from({ length: count }, (_, i) => `rival${round}.${i}@example.com`)
      const ids = await Promise.all(emails.map(email => world.addAdministrator(email, account)))
      const key = await world.service.key(account)
      const answers = await Promise.all(
        ids.map((id, i) => {
          const node = i < count / 2 ? 'first' : 'second'
          return i % 2 === 0
            ? world.ask(key, 'DELETE', `/admin/users/${id}`, undefined, node)
            : world.ask(key, 'PATCH', `/admin/users/${id}`, { permissions: ['trips'] }, node)
        }),
      )
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(1)
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(count - 1)
      const users = (await world.ask(key, 'GET', '/admin/users')).body.users as readonly {
        readonly permissions: readonly string[]
      }[]
      expect(users.filter(({ permissions }) => permissions.includes('administration'))).toHaveLength(1)
    }
  })
})

test('the log says who changed whom, and holds no password', async () => {
  const { id, email } = await addUser()
  const secret = 'a password that nobody may read'
  await ask('PATCH', `/admin/users/${id}`, { password: secret })
  await ask('PATCH', `/admin/users/${id}`, { permissions: ['events'] })
  await ask('PATCH', `/admin/users/${chiefId}`, { permissions: [] })
  await ask('DELETE', `/admin/users/${id}`)
  const administrator = { kind: 'user', id: Number(chiefId), name: chief, accountId: expect.any(Number) }
  const told = world
    .log()
    .filter(({ msg, change }) => msg === 'administration' && JSON.stringify(change).includes(email))
  const of = { userId: Number(id), email }
  expect(told).toMatchObject([
    { administrator, change: { action: 'user created', ...of } },
    { administrator, change: { action: 'user changed', ...of, isNewPassword: true } },
    { administrator, change: { action: 'user changed', ...of, isNewPassword: false, permissions: ['events'] } },
    { administrator, change: { action: 'user removed', ...of } },
  ])
  expect(JSON.stringify(world.log())).not.toMatch(new RegExp(`${secret}|${PASSWORD}|argon2`))
})
