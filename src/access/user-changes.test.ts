import { expect, test } from 'vitest'
import { untilLockIsAwaited } from '../../test/awaited-lock.ts'
import { openTestDatabase } from '../../test/database.ts'
import { sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { createCallerLookup } from './callers.ts'
import { logIn } from './login.ts'
import { hashPassword } from './passwords.ts'
import { type IssuedTokens, issueTokens, refreshTokens, revokeToken } from './tokens.ts'
import { changeUser, ensureFirstUser } from './users.ts'

const EMAIL = 'operator@example.com'
const TERMS = { network: 'here', address: '192.0.2.1', accessTokenLifetimeS: 3600 }

const database = await openTestDatabase()
await ensureFirstUser(database, { email: EMAIL, password: 'the first one' })
const [user] = await database.rows<{ accountId: number; userId: number }>(
  sql`select account_id as "accountId", id as "userId" from users`,
)
if (!user) throw new Error('no user was made')

const write = <T>(work: (transaction: Transaction) => Promise<T>) => writeTransaction(database, work)
const isValid = async ({ accessToken }: IssuedTokens) =>
  (await createCallerLookup(database).find(accessToken)) !== undefined

/** Refreshes in a transaction that is slow to commit, and begins something else meanwhile. */
async function whileRefreshing(refreshToken: string, meanwhile: () => Promise<unknown>): Promise<IssuedTokens> {
  let other: Promise<unknown> = Promise.resolve()
  const tokens = await write(async transaction => {
    const issued = await refreshTokens(transaction, refreshToken, TERMS)
    other = meanwhile()
    await untilLockIsAwaited(database)
    return issued
  })
  await other
  if (!tokens) throw new Error('the refresh token was not valid')
  return tokens
}

test('tokens that a refresh issues while the password is changed end, too', async () => {
  const { refreshToken } = await write(transaction => issueTokens(transaction, user.userId, TERMS))
  const passwordHash = await hashPassword('the second one')
  const tokens = await whileRefreshing(refreshToken, () =>
    write(transaction => changeUser(transaction, user, { passwordHash })),
  )
  expect(await isValid(tokens)).toBe(false)
  expect(await write(transaction => refreshTokens(transaction, tokens.refreshToken, TERMS))).toBeUndefined()
})

test('tokens that a refresh issues while its login is ended end, too', async () => {
  const { refreshToken } = await write(transaction => issueTokens(transaction, user.userId, TERMS))
  const tokens = await whileRefreshing(refreshToken, () =>
    write(transaction => revokeToken(transaction, refreshToken, TERMS.address)),
  )
  expect(await isValid(tokens)).toBe(false)
  expect(await write(transaction => refreshTokens(transaction, tokens.refreshToken, TERMS))).toBeUndefined()
})

test('who comes with the old password while it is changed is refused', async () => {
  const first = await hashPassword('the old one')
  await write(transaction => changeUser(transaction, user, { passwordHash: first }))
  const second = await hashPassword('the new one')
  let login: ReturnType<typeof logIn> | undefined
  await write(async transaction => {
    await changeUser(transaction, user, { passwordHash: second })
    login = logIn(database, { email: EMAIL, password: 'the old one' }, TERMS)
    // It finds the old hash, for this is not committed, and has checked the password when it waits for this.
    await untilLockIsAwaited(database)
  })
  expect(await login).toEqual({ kind: 'refused' })
  expect(await logIn(database, { email: EMAIL, password: 'the new one' }, TERMS)).toMatchObject({ kind: 'admitted' })
})
