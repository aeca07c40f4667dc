import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { typedCommands } from '../../test/cli.ts'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { createCallerLookup } from '../access/callers.ts'
import { logIn } from '../access/login.ts'
import { ALL_PERMISSIONS, CLIENT_PERMISSIONS } from '../catalogue/permissions.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { registerKey, registerUser } from './access.ts'

let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ url: testDatabase.url })
})

afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const { output, notes, tacho } = typedCommands([registerUser, registerKey], () => testDatabase.url)

const MINUTE = expect.stringMatching(/^2\d{3}-\d\d-\d\d \d\d:\d\dZ$/)

const rowsOf = (printed = '') => printed.split('\n').map(line => line.trim().split(/ {2,}/))

const canLogIn = async (email: string, password: string) =>
  (await logIn(database, { email, password }, { network: 'here', address: 'here', accessTokenLifetimeS: 60 })).kind ===
  'admitted'

const caller = (key: string | undefined) => createCallerLookup(database).find(key ?? '')

describe('user', () => {
  test('create, list, revoke', async () => {
    await tacho('user', 'create', 'a@example.com', '--password', 'long enough one')
    expect(notes.join()).toContain('a@example.com may log in to account Fleet.')
    expect(output).toEqual([])
    expect(await canLogIn('a@example.com', 'long enough one')).toBe(true)

    await tacho('user', 'create', 'b@example.com', '--generate', '--account', 'Second', '--permissions', 'all')
    expect(notes.join()).toContain('b@example.com may log in to the new account Second. The password:')
    expect(output).toHaveLength(1)
    expect(await canLogIn('b@example.com', output.pop() ?? '')).toBe(true)

    await tacho('user', 'revoke', 'A@EXAMPLE.COM')
    expect(await canLogIn('a@example.com', 'long enough one')).toBe(false)
    await expect(tacho('user', 'revoke', 'a@example.com')).rejects.toThrow('There is no user a@example.com.')

    await tacho('user', 'list')
    expect(rowsOf(output.pop())).toEqual([
      ['EMAIL', 'ACCOUNT', 'STATE', 'CREATED', 'PERMISSIONS'],
      ['a@example.com', 'Fleet', expect.stringMatching(/^revoked 2.*Z$/), MINUTE, CLIENT_PERMISSIONS.join(',')],
      ['b@example.com', 'Second', 'valid', MINUTE, 'all'],
    ])
  })

  test.each([
    [['a@b.de', '--password', 'short'], 'The password must have at least 12 characters.'],
    [['a@b.de', '--password', 'password1234'], 'The password is too easy to guess'],
    [['a@b.de', '--password', 'long enough one', '--generate'], 'Give either --password or --generate.'],
    [['nonsense', '--generate'], '"nonsense" is not an e-mail address.'],
    [['B@example.com', '--generate'], 'There is a user B@example.com already.'],
    [['a@b.de', '--generate', '--permissions', 'trips,cars'], 'It must be "all" or a list of devices,'],
    [['a@b.de', '--generate', '--permissions', ' '], 'It must be "all" or a list of devices,'],
    [['a@b.de', '--generate', '--account', ' '], 'A name has 1 to 100 characters'],
    [['a@b.de'], 'A password is needed: give --password or --generate.'],
  ])('create %j is refused', async (words, message) => {
    process.stdin.isTTY = false
    await expect(tacho('user', 'create', ...words)).rejects.toThrow(message)
    expect(output).toEqual([])
  })
})

describe('key', () => {
  test('create, list, revoke', async () => {
    await tacho('key', 'create', 'map', '--permissions', 'Trips, positions,trips')
    const key = output.pop() ?? ''
    expect(key).toMatch(/^tacho_[\w-]{43}$/)
    expect(notes.join()).toContain('The key "map" of account Fleet; it is not shown again:')
    expect(await caller(key)).toMatchObject({ name: 'map', permissions: new Set(['trips', 'positions']) })

    await tacho('key', 'create', 'broker', '--expires', '90d', '--permissions', 'ingest')
    await tacho('key', 'create', 'far', '--expires', '2999-12-31T23:00:00+01:00', '--account', 'Second')
    const [broker, far] = output.splice(0)
    expect((await caller(far))?.permissions).toEqual(new Set(CLIENT_PERMISSIONS))
    expect((await caller(far))?.accountId).not.toBe((await caller(broker))?.accountId)

    await tacho('key', 'revoke', key.slice(0, 12))
    expect(await caller(key)).toBeUndefined()
    await tacho('key', 'revoke', '2')
    expect(await caller(broker)).toBeUndefined()
    await expect(tacho('key', 'revoke', '2')).rejects.toThrow('There is no valid key')

    await tacho('key', 'list')
    const listed = output.pop() ?? ''
    expect(listed).not.toContain(key)
    const rows = rowsOf(listed)
    expect(rows[0]).toEqual([
      'ID',
      'NAME',
      'PREFIX',
      'ACCOUNT',
      'STATE',
      'CREATED',
      'EXPIRES',
      'PERMISSIONS',
      'MADE BY',
    ])
    expect(rows[1]?.slice(0, 4)).toEqual(['1', 'map', key.slice(0, 12), 'Fleet'])
    expect(rows[1]?.[4]).toMatch(/^revoked /)
    const expires = Date.parse(`${rows[2]?.[6]?.replace(' ', 'T')}`)
    expect(Math.abs(expires - Date.now() - 90 * 86_400_000)).toBeLessThan(120_000)
    expect(rows[3]?.slice(3, 5)).toEqual(['Second', 'valid'])
    expect(rows[3]?.[6]).toBe('2999-12-31 22:00Z')
  })

  test.each([
    ['--expires', 'soon', 'It must be a time such as'],
    ['--expires', '0d', 'It must be a time such as'],
    ['--expires', '2020-02-30', 'It must be a time such as'],
    ['--expires', '2020-02-20', 'That is in the past.'],
    ['--permissions', 'everything', 'It must be "all" or a list of'],
  ])('create %s %s is refused', async (option, value, message) => {
    await expect(tacho('key', 'create', 'x', option, value)).rejects.toThrow(message)
  })

  test('create without a name is refused', async () => {
    await expect(tacho('key', 'create', ' ')).rejects.toThrow('A name has 1 to 100 characters')
  })
})

test('all permissions are explained in the help', () => {
  const program = new Command()
  registerUser(program)
  let help = ''
  program.commands[0]?.commands[0]?.configureOutput({
    writeOut: text => {
      help += text
    },
  })
  program.commands[0]?.commands[0]?.outputHelp()
  for (const permission of ALL_PERMISSIONS) expect(help).toMatch(new RegExp(`^  ${permission} +\\S`, 'm'))
  expect(help.replace(/\s+/g, ' ')).toContain('(default: all but ingest and administration)')
})

describe('the database', () => {
  test('that cannot be reached', async () => {
    vi.stubEnv('DATABASE_URL', 'postgresql://127.0.0.1:1/none')
    await expect(tacho('user', 'list')).rejects.toThrow(
      /^The database cannot be reached at the moment. \(.*ECONNREFUSED/,
    )
  })

  test('of a folder on which Tacho does not run', async () => {
    vi.stubEnv('DATABASE_URL', '')
    vi.stubEnv('TACHO_DATA', '/tmp/tacho-is-not-here')
    await expect(tacho('user', 'list')).rejects.toThrow(
      'Tacho is not running on /tmp/tacho-is-not-here; start it or set DATABASE_URL.',
    )
  })

  test('that does not exist', async () => {
    const url = new URL(testDatabase.url)
    url.pathname = '/nowhere'
    vi.stubEnv('DATABASE_URL', url.href)
    await expect(tacho('user', 'list')).rejects.toThrow(
      'The database cannot be used: database "nowhere" does not exist.',
    )
  })

  test('that has no tables yet', async () => {
    const url = new URL(testDatabase.url)
    url.pathname = '/postgres'
    vi.stubEnv('DATABASE_URL', url.href)
    await expect(tacho('user', 'list')).rejects.toThrow('has not been set up for Tacho yet')
  })
})
