import { afterAll, expect, test } from 'vitest'
import { startAdministration } from '../../../test/administration.ts'
import { sql } from '../../db/sql.ts'

type Line = Readonly<Record<string, unknown>> & { readonly details: Readonly<Record<string, unknown>> }

const EMAIL = 'chief@example.com'

const world = await startAdministration()
await world.addAdministrator(EMAIL, 'Fleet')
const token = (await world.logIn(EMAIL)).accessToken
afterAll(() => world.stop())

const linesOf = async (query = '', by = token) =>
  (await world.ask(by, 'GET', `/admin/security-log?${query}`)).body.lines as readonly Line[]
const chief = { kind: 'user', id: expect.any(String), name: EMAIL }

test('logins and failed ones, with whose they are and from where', async () => {
  await world.exchange({ grant_type: 'password', username: EMAIL, password: 'wrong' })
  const { refreshToken } = await world.logIn(EMAIL)
  await fetch(`${world.service.url}/auth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ token: refreshToken }),
  })
  const line = { caller: chief, address: expect.stringContaining('127.0.0.1'), details: {} }
  expect((await linesOf()).slice(0, 3)).toMatchObject([
    { ...line, kind: 'logout' },
    { ...line, kind: 'login' },
    { ...line, kind: 'login-failed' },
  ])
})

test('what administrators do, and nothing of what was refused', async () => {
  const body = { name: 'workshop', permissions: ['trips'] }
  const { id, key } = (await world.ask(token, 'POST', '/admin/keys', body)).body
  await world.ask(token, 'POST', '/admin/users', {
    email: EMAIL,
    password: 'seven mice dance home',
    permissions: ['trips'],
  })
  await world.ask(token, 'DELETE', `/admin/keys/${String(id)}`)
  const lines = await linesOf('kind=key-created,KEY-REVOKED,user-created')
  const details = { keyId: Number(id), keyName: 'workshop' }
  expect(lines).toMatchObject([
    { kind: 'key-revoked', caller: chief, details },
    { kind: 'key-created', caller: chief, details },
  ])
  expect(JSON.stringify(lines)).not.toContain(String(key).slice(0, 12))
})

test('who reads positions of which vehicle: one line in an hour, on all nodes together', async () => {
  const reader = await world.service.key('Fleet', ['vehicles', 'trips', 'events', 'positions'])
  const blind = await world.service.key('Fleet', ['vehicles', 'trips', 'events'])
  for (const node of ['first', 'second', 'first'] as const)
    for (const path of [
      '/vehicles',
      '/trips?vehicleId=IMEI_4711',
      '/trips?vehicleId=IMEI_4712&positions=false',
      '/events?deviceId=4712',
      '/events?eventType=MILEAGE',
    ])
      for (const key of [reader, blind]) await world.ask(key, 'GET', `/cc/v2.0${path}`, undefined, node)
  const objects = async () => (await linesOf('kind=positions-read')).map(({ details }) => String(details.object)).sort()
  await expect.poll(objects).toEqual(['IMEI_4711', 'device 4712', 'every vehicle'])
})

test('files that the console makes', async () => {
  for (const file of ['trips', 'trips', 'everything']) await world.ask(token, 'POST', '/exports', { file })
  const exports = () => linesOf('kind=data-exported')
  await expect.poll(exports).toMatchObject([{ caller: chief, details: { object: 'trips' } }])
})

test('it is read page by page, by time, caller and kind', async () => {
  const all = await linesOf()
  expect(all.length).toBeGreaterThan(4)
  const seen: unknown[] = []
  for (let next: string | undefined = '/admin/security-log?maxResults=2'; next !== undefined; ) {
    const headers = { authorization: `Bearer ${token}` }
    const reply: Response = await fetch(world.service.url + next, { headers })
    const { lines } = (await reply.json()) as { lines: Line[] }
    expect(lines.length).toBeLessThanOrEqual(2)
    seen.push(...lines.map(({ id }) => id))
    next = /^<(.*)>/.exec(reply.headers.get('link') ?? '')?.[1]
  }
  expect(seen).toEqual(all.map(({ id }) => id))
  const failed = all.find(({ kind }) => kind === 'login-failed')
  const at = encodeURIComponent(String(failed?.timestamp))
  expect(await linesOf(`kind=login-failed&fromTimestamp=${at}&caller=CHIEF@example.com`)).toEqual([failed])
  expect(await linesOf('toTimestamp=2020-01-01')).toEqual([])
  expect(await linesOf('caller=nobody')).toEqual([])
  expect((await world.ask(token, 'GET', '/admin/security-log?kind=all')).status).toBe(400)
})

test('another account sees its own, and who may not administrate sees none', async () => {
  await world.addAdministrator('stranger@example.com', 'Strangers')
  const stranger = (await world.logIn('stranger@example.com')).accessToken
  expect(await linesOf('', stranger)).toMatchObject([{ kind: 'login', caller: { name: 'stranger@example.com' } }])
  expect(await linesOf('caller=stranger@example.com')).toEqual([])
  const viewer = await world.service.key('Fleet', ['trips'])
  expect((await world.ask(viewer, 'GET', '/admin/security-log')).status).toBe(403)
})

test('a login waits for its line: without the one there is not the other', async () => {
  const { database } = world.service
  await database.writers.query('alter table security_log add constraint broken check (false) not valid')
  expect(await world.exchange({ grant_type: 'password', username: EMAIL, password: 'correct horse' })).toBe(500)
  await database.writers.query('alter table security_log drop constraint broken')
  expect(await world.exchange({ grant_type: 'password', username: EMAIL, password: 'correct horse' })).toBe(200)
})

test('request lines of the log name caller and address, and no token', async () => {
  await world.ask(token, 'GET', '/cc/v2.0/units')
  const line = world.log().findLast(({ msg, path }) => msg === 'request' && path === '/cc/v2.0/units')
  expect(line).toMatchObject({ caller: { kind: 'user', name: EMAIL }, address: expect.stringContaining('127.0.0.1') })
  expect(JSON.stringify(world.log())).not.toContain(token)
})

test('no statement changes a line, and none but retention removes one that is old', async () => {
  const { database } = world.service
  const change = (text: string) => database.writers.query(text)
  await change(`insert into security_log (account_id, time, kind, caller_kind, caller_name)
    select 1, now() - interval '8 days', 'login', 'user', 'old' from generate_series(1, 3)`)
  const refused = /only added to/
  await expect(change(`update security_log set kind = 'login'`)).rejects.toThrow(refused)
  await expect(change('delete from security_log')).rejects.toThrow(refused)
  await expect(change('truncate security_log')).rejects.toThrow(refused)
  await expect(change(`set tacho.retention = 'security_log'; delete from security_log`)).rejects.toThrow(refused)
  const [row] = await database.rows<{ count: number }>(sql`select count(*) from security_log where caller_name = 'old'`)
  expect(row?.count).toBe(3)
})
