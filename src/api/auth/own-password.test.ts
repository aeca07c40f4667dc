import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { PASSWORD, startAdministration } from '../../../test/administration.ts'
import { hashPassword } from '../../access/passwords.ts'
import { sql } from '../../db/sql.ts'
import { writeTransaction } from '../../db/transaction.ts'

const NEW_PASSWORD = 'seven mice dance home'

const world = await startAdministration()
afterAll(() => world.stop())

const change = (statement: ReturnType<typeof sql>) =>
  writeTransaction(world.service.database, transaction => transaction.rows(statement))
beforeEach(async () => {
  await change(sql`delete from failed_logins`)
  await change(sql`delete from login_guesses`)
})

const changeOwn = (token: string, currentPassword: string, newPassword: string) =>
  world.ask(token, 'POST', '/auth/password', { currentPassword, newPassword })

test('whoever knows the current one has a new one; other logins end, this one and the keys go on', async () => {
  const email = 'ann@example.com'
  await world.addAdministrator(email, 'Fleet')
  const [own, other] = [await world.logIn(email), await world.logIn(email)]
  const { key } = (await world.ask(own.accessToken, 'POST', '/admin/keys', { name: 'mine', permissions: ['trips'] }))
    .body
  expect(await changeOwn(own.accessToken, PASSWORD, NEW_PASSWORD)).toEqual({ status: 204, body: {} })
  world.service.clock.advance(1000)
  expect(await world.statusesOf(own.accessToken)).toEqual([200, 200])
  expect(await world.statusesOf(other.accessToken)).toEqual([401, 401])
  expect(await world.statusesOf(String(key))).toEqual([200, 200])
  const refresh = (token: string) => world.exchange({ grant_type: 'refresh_token', refresh_token: token })
  expect([await refresh(own.refreshToken), await refresh(other.refreshToken)]).toEqual([200, 400])
  const withPassword = (password: string) => world.exchange({ grant_type: 'password', username: email, password })
  expect([await withPassword(PASSWORD), await withPassword(NEW_PASSWORD)]).toEqual([400, 200])
})

await world.addAdministrator('bob@example.com', 'Fleet')
const token = (await world.logIn('bob@example.com')).accessToken

describe('nothing changes', () => {
  test.each([
    ['with a wrong current password', 'wrong', NEW_PASSWORD, 'currentPassword is wrong.'],
    ['with a short one', PASSWORD, 'elevenchars', /^newPassword .*12/],
    ['with a common one', PASSWORD, 'password1234', /^newPassword is too easy to guess/],
    ['with the e-mail address', PASSWORD, 'bob@example.com', /^newPassword must not contain the e-mail address/],
  ])('%s', async (_what, current, next, words) => {
    const { status, body } = await changeOwn(token, current, next)
    expect([status, body]).toEqual([400, { errorMessage: expect.stringMatching(words) }])
    expect((await world.logIn('bob@example.com')).accessToken).toBeTruthy()
  })

  test('for a key, which has none', async () => {
    const key = await world.service.key('Fleet')
    expect((await changeOwn(key, PASSWORD, NEW_PASSWORD)).status).toBe(403)
  })

  test('after many wrong ones, for a while: a token is no place to guess from', async () => {
    const statuses: number[] = []
    for (let tried = 0; tried < 14; tried++) {
      await change(sql`delete from failed_logins`)
      statuses.push((await changeOwn(token, 'wrong', NEW_PASSWORD)).status)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(400), ...Array<number>(4).fill(429)])
  })
})

test('an older password that is too short by now still opens, and changes to a good one', async () => {
  const email = 'old@example.com'
  await world.addAdministrator(email, 'Fleet')
  await change(sql`update users set password_hash = ${await hashPassword('short')} where email = ${email}`)
  const { accessToken } = await world.logIn(email, 'short')
  expect((await changeOwn(accessToken, 'short', NEW_PASSWORD)).status).toBe(204)
})
