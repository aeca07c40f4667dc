import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { registerKey } from '../../src/cli/access.ts'
import { sql } from '../../src/db/sql.ts'
import { eventually } from '../eventually.ts'
import { EMAIL, GRANT, startTokenClient, type TokenClient, type TokenError } from './token-client.ts'
import { startWorld, type World } from './world.ts'

let world: World
let client: TokenClient

beforeAll(async () => {
  world = await startWorld()
  client = await startTokenClient(world)
})
afterAll(() => world.stop())
beforeEach(() => change(sql`delete from failed_logins`))

const change = (statement: ReturnType<typeof sql>) => world.rows.change(() => statement)

describe('keys', () => {
  const output: string[] = []

  beforeEach(() => {
    vi.stubEnv('DATABASE_URL', world.service.config.databaseUrl)
    vi.spyOn(console, 'log').mockImplementation((line: string) => void output.push(line))
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  async function tacho(...words: string[]): Promise<string> {
    const program = new Command()
    registerKey(program)
    await program.parseAsync(words, { from: 'user' })
    return output.pop() ?? ''
  }

  test('[C-AUTH-01, D-TOKEN-06] a key of the command line opens the data in the same header; it expires only if asked for', async () => {
    const key = await tacho('key', 'create', 'dashboard')
    expect(await client.statusWith(key)).toBe(200)
    await tacho('key', 'create', 'guest', '--expires', '12h')
    const rows = await world.service.database.rows(
      sql`select name, expires is null as forever from api_keys where name in ('dashboard', 'guest') order by name`,
    )
    expect(rows).toEqual([
      { name: 'dashboard', forever: true },
      { name: 'guest', forever: false },
    ])
  })

  test('[D-TOKEN-07] revocation takes effect within 1 s', async () => {
    const key = await tacho('key', 'create', 'leaver')
    expect(await client.statusWith(key)).toBe(200)
    await tacho('key', 'revoke', key)
    await eventually(async () => expect(await client.statusWith(key)).toBe(401), 1000)
  })

  test('[D-TOKEN-01] tokens and keys are opaque and stored only as hashes', async () => {
    const { access_token: access, refresh_token: refreshToken } = (await client.post(GRANT)).body
    const secrets = [access, refreshToken, await tacho('key', 'create', 'hashed')]
    const { database } = world.service
    const tables = await database.rows<{ name: string }>(
      sql`select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
    )
    let dump = ''
    for (const { name } of tables) {
      const { rows } = await database.readers.query<{ row: string }>(`select ${name}::text as row from ${name}`)
      dump += rows.map(({ row }) => row).join('\n')
    }
    expect(dump).toContain('dashboard')
    for (const secret of secrets) {
      expect(secret).toMatch(/^(tacho_)?[\w-]{43}$/)
      expect(dump).not.toContain(secret)
      expect(dump).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })
})

describe('who is refused', () => {
  const PATHS = [
    '/devices',
    '/devices/1',
    '/vehicles',
    '/vehicles/x',
    '/trips',
    '/trip/1',
    '/trips/1',
    '/events',
    '/dtcs',
    '/aggregations',
    '/eventTypes',
    '/units',
  ]

  test('[C-AUTH-16, C-ENDPOINTS-01, C-CONVENTION-05, C-ERRORS-03, D-REPLY-35] without a valid key, on every endpoint', async () => {
    for (const path of PATHS)
      for (const authorization of [undefined, 'Bearer nonsense', 'Basic b3BlcmF0b3I6eA==']) {
        const answer = await world.ask(`/cc/v2.0${path}`, { headers: authorization ? { authorization } : {} })
        expect([path, answer.status, answer.text]).toEqual([path, 401, '{"errorMessage":"Unauthorized."}'])
        expect(answer.headers.get('www-authenticate')).toBe('Bearer')
        for (const header of ['x-rate-limit', 'x-rate-limit-remaining', 'x-response-time'])
          expect(answer.headers.has(header)).toBe(false)
      }
  })

  test('[D-TOKEN-08] wrong password and unknown user: 400 invalid_grant with the same text', async () => {
    const wrong = await client.post<TokenError>({ ...GRANT, password: 'wrong' })
    const unknown = await client.post<TokenError>({ ...GRANT, username: 'nobody@example.com' })
    expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_grant'])
    expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text])
  })

  test('[D-TOKEN-09] wrong password and unknown user take the same time', async () => {
    const known: number[] = []
    const unknown: number[] = []
    for (let round = 0; round < 7; round++) {
      await change(sql`delete from failed_logins`)
      for (const [username, times] of [
        [EMAIL, known],
        [`nobody${round}@example.com`, unknown],
      ] as const) {
        const started = performance.now()
        await client.post({ ...GRANT, username, password: 'wrong' })
        times.push(performance.now() - started)
      }
    }
    // Checking a password takes many times as long as anything else here.
    const ratio = Math.min(...known) / Math.min(...unknown)
    expect(ratio).toBeGreaterThan(0.4)
    expect(ratio).toBeLessThan(2.5)
  })

  test('[D-TOKEN-10] repeated failures slow down, the right password too', async () => {
    const statuses: number[] = []
    for (let round = 0; round < 8; round++)
      statuses.push((await client.post({ ...GRANT, username: 'slow@example.com', password: 'wrong' })).status)
    expect(statuses.slice(0, 5)).toEqual([400, 400, 400, 400, 400])
    expect(statuses).toContain(429)
    const slowed = await client.post<TokenError>({ ...GRANT, username: 'slow@example.com' })
    expect(slowed.status).toBe(429)
    expect(Number(slowed.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  test('[D-REPLY-34] errors of the token endpoint have error and error_description of RFC 6749 beside errorMessage', async () => {
    for (const [fields, error] of [
      [{}, 'invalid_request'],
      [{ grant_type: 'password' }, 'invalid_request'],
      [{ grant_type: 'implicit' }, 'unsupported_grant_type'],
      [{ grant_type: 'refresh_token', refresh_token: 'x' }, 'invalid_grant'],
    ] as const) {
      const { status, body } = await client.post<TokenError>(fields)
      expect(status).toBe(400)
      expect(body).toEqual({ errorMessage: expect.any(String), error, error_description: body.errorMessage })
    }
  })
})
