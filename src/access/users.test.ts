import { afterAll, expect, test } from 'vitest'
import { untilLockIsAwaited } from '../../test/awaited-lock.ts'
import { createTestDatabase } from '../../test/database.ts'
import { ALL_PERMISSIONS } from '../catalogue/permissions.ts'
import { openDatabase } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { type Transaction, writeTransaction } from '../db/transaction.ts'
import { ensureAccount, ensureFirstAccount } from './accounts.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { generatePassword, hashPassword, verifyPassword } from './passwords.ts'
import { createUser, ensureFirstUser, listUsers, revokeUser } from './users.ts'

const testDatabase = await createTestDatabase()
const nodes = Array.from({ length: 5 }, () => openDatabase({ url: testDatabase.url }))
const database = nodes[0]!

afterAll(async () => {
  await Promise.all(nodes.map(node => node.close()))
  await testDatabase.drop()
})

const write = <T>(work: (transaction: Transaction) => Promise<T>) => writeTransaction(database, work)
const instant = expect.stringMatching(/^2\d{3}-.*Z$/)

test('a node that makes the first user waits for one that is about to', async () => {
  const refusal = new Error('rolled back')
  let other: Promise<boolean> | undefined
  let hasEnded = false
  await write(transaction => ensureAccount(transaction, 'There already'))
  const first = write(async transaction => {
    await ensureFirstAccount(transaction)
    other = ensureFirstUser(nodes[1]!, { email: 'other@example.com', password: 'a password' }).finally(() => {
      hasEnded = true
    })
    await untilLockIsAwaited(database)
    expect(hasEnded).toBe(false)
    throw refusal
  })
  await expect(first).rejects.toBe(refusal)
  expect(await other).toBe(true)
  await write(transaction => transaction.rows(sql`truncate accounts, users restart identity cascade`))
})

test('nodes that start at once make one account and one first user, who may do everything', async () => {
  const accounts = await Promise.all(nodes.map(node => writeTransaction(node, ensureFirstAccount)))
  expect(new Set(accounts.map(account => account.id)).size).toBe(1)
  const first = (i: number) => ({ email: `first${i}@example.com`, password: 'a password' })
  const made = await Promise.all(nodes.map((node, i) => ensureFirstUser(node, first(i))))
  expect(made.filter(Boolean)).toHaveLength(1)
  const { email } = first(made.indexOf(true))
  expect(await listUsers(database)).toEqual([
    {
      id: 1,
      accountName: 'Fleet',
      email,
      permissions: ALL_PERMISSIONS,
      created: instant,
      lastLogin: null,
      revoked: null,
    },
  ])
  await write(transaction => transaction.rows(sql`update users set email = 'first@example.com'`))
  const [row] = await database.rows<{ hash: string }>(sql`select password_hash as hash from users`)
  expect(row?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('an address belongs to one user, in any letter case; a revoked one frees it but does not return by itself', async () => {
  const account = await write(transaction => ensureAccount(transaction, 'Second'))
  const create = async (email: string) => {
    const passwordHash = await hashPassword('a password')
    return write(t => createUser(t, { accountId: account.id, email, passwordHash, permissions: ['trips'] }))
  }
  const refused = (text: string) => ({ kind: 'refused', text: expect.stringContaining(text) })
  expect(await create('FIRST@example.com')).toEqual(refused('There is a user FIRST@example.com already.'))
  for (const email of ['', 'x', '@', 'a b@c', 'a@b\n', 'a@b@c', `${'x'.repeat(250)}@b.de`])
    expect(await create(email)).toEqual(refused('is not an e-mail address'))
  expect(await write(transaction => revokeUser(transaction, 'First@Example.com'))).toBe(true)
  expect(await write(transaction => revokeUser(transaction, 'First@Example.com'))).toBe(false)
  expect(await ensureFirstUser(database, { email: 'first@example.com', password: 'x' })).toBe(false)
  expect(await create('First@example.com')).toEqual({ kind: 'created', id: expect.any(Number), created: instant })
  expect(await listUsers(database)).toMatchObject([
    { email: 'first@example.com', revoked: instant },
    { email: 'First@example.com', accountName: 'Second', permissions: ['trips'], revoked: null },
  ])
})

test('an account is made once', async () => {
  const made = await Promise.all(
    nodes.map(node => writeTransaction(node, transaction => ensureAccount(transaction, 'Third'))),
  )
  expect(made.filter(account => account.isNew)).toHaveLength(1)
  expect(new Set(made.map(account => account.id)).size).toBe(1)
})

test('keys are listed without their secret and revoked by id, prefix or the key itself', async () => {
  const create = (name: string, expires?: string | number) =>
    write(async t => (await createKey(t, { accountId: 1, name, permissions: ['events'], expires })).secret)
  const [first, second, third] = [await create('one'), await create('two', 60), await create('three', '2020-01-01Z')]
  expect(first).toMatch(/^tacho_[\w-]{43}$/)
  const prefix = first.slice(0, 12)
  expect(await listKeys(database)).toMatchObject([
    { id: 1, name: 'one', accountName: 'Fleet', prefix, permissions: ['events'], expires: null, isExpired: false },
    { id: 2, name: 'two', expires: instant, isExpired: false, revoked: null },
    { id: 3, name: 'three', expires: '2020-01-01T00:00:00.000000Z', isExpired: true },
  ])
  expect(JSON.stringify(await listKeys(database))).not.toContain(first.slice(0, 20))
  const revoke = (idOrPrefix: string) => write(transaction => revokeKey(transaction, idOrPrefix))
  expect(await revoke('1')).toEqual(['one'])
  expect(await revoke('1')).toEqual([])
  expect(await revoke(second.slice(0, 12))).toEqual(['two'])
  expect(await revoke(third)).toEqual(['three'])
  for (const unknown of ['4', '99999999999', '', 'tacho_', "';--"]) expect(await revoke(unknown)).toEqual([])
})

test('of two keys with the same prefix none is revoked by it', async () => {
  await write(async t => {
    const hashes = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    for (const hash of hashes)
      await t.rows(sql`insert into api_keys (account_id, name, prefix, hash, permissions)
        values (1, 'twin', 'tacho_abcdef', ${hash}, '{}')`)
  })
  expect(await write(transaction => revokeKey(transaction, 'tacho_abcdef'))).toEqual(['twin', 'twin'])
  expect((await listKeys(database)).filter(key => key.name === 'twin' && key.revoked === null)).toHaveLength(2)
})

test('passwords: right, wrong, none, and typed on another system', async () => {
  const passwordHash = await hashPassword('Stra\u00dfe \u00fc')
  expect(await verifyPassword(passwordHash, 'Stra\u00dfe u\u0308')).toBe(true)
  expect(await verifyPassword(passwordHash, 'Strasse \u00fc')).toBe(false)
  expect(await verifyPassword(undefined, 'x')).toBe(false)
  expect(await verifyPassword(passwordHash, '\ud800\0')).toBe(false)
})

test('generated passwords', () => {
  const passwords = Array.from({ length: 100 }, generatePassword)
  expect(new Set(passwords).size).toBe(100)
  for (const password of passwords) expect(password).toMatch(/^([a-km-np-z2-9]{5}-){3}[a-km-np-z2-9]{5}$/)
})
