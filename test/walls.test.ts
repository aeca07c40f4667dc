import { afterAll, describe, expect, it } from 'vitest'
import { createKey, revokeKey } from '../src/access/keys.ts'
import { issueTokens } from '../src/access/tokens.ts'
import { revokeUser } from '../src/access/users.ts'
import { ALL_PERMISSIONS, type Permission } from '../src/catalogue/permissions.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { IS_DEEP } from './deep.ts'
import {
  all,
  allSucceed,
  GUARDED,
  OWNER_EMAIL,
  ofEveryRoute,
  PLACES,
  READS,
  ROUTES,
  startWallWorld,
  statusFor,
  withQuery,
} from './wall-world.ts'
import type { Wall } from './walls.ts'

const UNAUTHORIZED = '401 {"errorMessage":"Unauthorized."}'

/** That a right key and a right token open all of them is told by tests of their own. */
const SOME = GUARDED.filter((_, place) => IS_DEEP || place % 4 === 0)

const world = await startWallWorld()
afterAll(() => world.service.stop())

describe('the walls', () => {
  it('know every route of the OpenAPI document, and whether it needs a token', async () => {
    const { text } = await world.ask(undefined, 'GET', '/openapi.json')
    const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, { security: readonly object[] }>> }
    const documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([method, { security }]) => `${method.toUpperCase()} ${path} ${security.length === 0 ? 'public' : 'token'}`,
      ),
    )
    const known = ROUTES.map(({ name, wall }) => `${name} ${wall.needs === 'public' ? 'public' : 'token'}`)
    expect(documented.sort()).toEqual(known.sort())
  })

  it('let the owner through everywhere', async () => {
    expect(await ofEveryRoute(async route => (await world.askFresh(world.owner, route)).status)).toEqual(
      allSucceed('key'),
    )
  })

  // How a token is read does not depend on the route.
  it.each<[name: string, headers: Record<string, string>, routes: typeof GUARDED]>([
    ['no token', {}, GUARDED],
    ['an empty token', { authorization: 'Bearer ' }, SOME],
    ['a malformed token', { authorization: 'Bearer not a token!' }, SOME],
    ['a token that nobody has', { authorization: `Bearer tacho_${'A'.repeat(43)}` }, GUARDED],
    ['a token without its scheme', { authorization: `tacho_${'A'.repeat(43)}` }, SOME],
    ['another scheme', { authorization: `Basic ${Buffer.from('operator:x').toString('base64')}` }, SOME],
    ['a token that would be SQL', { authorization: `Bearer ' or true --` }, SOME],
  ])('keep out %s', async (_name, headers, routes) => {
    const shown = await ofEveryRoute(async ({ method, wall }) => {
      const { path, body } = wall.request(world.facts)
      const { status, text, headers: given } = await world.askWith(headers, method, path, body)
      return `${status} ${text}${given.has('x-rate-limit') ? ' with rate limit' : ''}`
    }, routes)
    expect(shown).toEqual(all(UNAUTHORIZED, routes))
  })

  it('keep out a token in the query', async () => {
    const shown = await ofEveryRoute(async ({ method, wall }) => {
      const { path, body } = wall.request(world.facts)
      const query = `access_token=${world.owner}&token=${world.owner}&authorization=Bearer%20${world.owner}`
      return (await world.ask(undefined, method, withQuery(path, query), body)).status
    }, SOME)
    expect(shown).toEqual(all('401', SOME))
  })

  it('keep out HEAD without a token, too', async () => {
    const shown = await ofEveryRoute(
      async route => (await world.ask(undefined, 'HEAD', route.wall.request(world.facts).path)).status,
      READS,
    )
    expect(shown).toEqual(all('401', READS))
  })

  it('keep out what has expired, and tokens that are not for this', async () => {
    const { database } = world.service
    const terms = { address: 'here', accessTokenLifetimeS: 3600 }
    const tokens = await writeTransaction(database, async transaction => {
      const key = { accountId: world.accountId, name: 'expired', permissions: ALL_PERMISSIONS, expires: '2020-01-01' }
      const { secret } = await createKey(transaction, key)
      const [user] = await transaction.rows<{ id: number }>(sql`select id from users where email = ${OWNER_EMAIL}`)
      const { accessToken, refreshToken } = await issueTokens(transaction, user?.id ?? 0, terms)
      const expired = await issueTokens(transaction, user?.id ?? 0, { ...terms, accessTokenLifetimeS: -1 })
      return { right: accessToken, wrong: [secret, expired.accessToken, refreshToken] }
    })
    expect(await ofEveryRoute(async route => (await world.askFresh(tokens.right, route)).status)).toEqual(
      allSucceed('user'),
    )
    // The first one everywhere.
    for (const [place, token] of tokens.wrong.entries()) {
      const routes = place === 0 ? GUARDED : SOME
      const shown = await ofEveryRoute(async route => {
        const { status, text } = await world.askRoute(token, route)
        return `${status} ${text}`
      }, routes)
      expect(shown).toEqual(all(UNAUTHORIZED, routes))
    }
  })

  it('keep out a revoked key and a revoked user, everywhere within a second', async () => {
    const { database } = world.service
    const key = await world.service.key('Fleet')
    await writeTransaction(database, async transaction => {
      await transaction.rows(sql`
        insert into users (account_id, email, password_hash, permissions)
        select account_id, 'leaver@example.com', password_hash, permissions from users where email = ${OWNER_EMAIL}`)
    })
    const user = await writeTransaction(database, async transaction => {
      const [row] = await transaction.rows<{ id: number }>(sql`select id from users where email = 'leaver@example.com'`)
      return issueTokens(transaction, row?.id ?? 0, { address: 'here', accessTokenLifetimeS: 3600 })
    })
    for (const [token, kind] of [
      [key, 'key'],
      [user.accessToken, 'user'],
    ] as const)
      expect(await ofEveryRoute(async route => (await world.askFresh(token, route)).status, SOME)).toEqual(
        allSucceed(kind, SOME),
      )
    await writeTransaction(database, async transaction => {
      await revokeKey(transaction, key)
      await revokeUser(transaction, 'leaver@example.com')
    })
    world.service.clock.advance(1000)
    for (const token of [key, user.accessToken])
      expect(await ofEveryRoute(async route => (await world.askRoute(token, route)).status)).toEqual(all('401'))
  })
})

describe('permissions', () => {
  it.each<[permissions: readonly Permission[]]>([
    [[]],
    ...ALL_PERMISSIONS.map(permission => [[permission]] as [Permission[]]),
  ])('a key with %j alone is refused exactly where another is needed', async permissions => {
    const key = await world.service.key('Fleet', permissions)
    const isAllowed = ({ needs, alsoNeeds }: Wall) =>
      [needs, alsoNeeds ?? 'any'].every(need => need === 'any' || permissions.some(permission => permission === need))
    // What is closed, the suite asks with none of them, and in turn: each route with every fourth one.
    const [only] = permissions
    const turn = only === undefined ? 0 : ALL_PERMISSIONS.indexOf(only)
    const isAsked = ({ wall }: (typeof GUARDED)[number], place: number) =>
      IS_DEEP || only === undefined || (wall.needs !== 'any' && isAllowed(wall)) || place % 4 === turn % 4
    const asked = GUARDED.filter(isAsked)
    const shown = await ofEveryRoute(async route => (await world.askFresh(key, route)).status, asked)
    expect(shown).toEqual(asked.map(({ name, wall }) => `${name}: ${isAllowed(wall) ? statusFor(wall, 'key') : 403}`))
  })

  it('a key with all permissions but one is refused exactly there', async () => {
    for (const [turn, missing] of ALL_PERMISSIONS.entries()) {
      const isClosed = ({ wall }: (typeof GUARDED)[number]) => [wall.needs, wall.alsoNeeds].includes(missing)
      // What stays open, the suite asks in turn: each route by every eighth key.
      const asked = GUARDED.filter((route, place) => IS_DEEP || isClosed(route) || place % 8 === turn % 8)
      const key = await world.service.key(
        'Fleet',
        ALL_PERMISSIONS.filter(permission => permission !== missing),
      )
      const shown = await ofEveryRoute(async route => (await world.askFresh(key, route)).status, asked)
      expect(shown).toEqual(
        asked.map(route => `${route.name}: ${isClosed(route) ? 403 : statusFor(route.wall, 'key')}`),
      )
    }
  })

  it('a key without positions is shown no place by any route, and all the rest', async () => {
    const blind = await world.service.key(
      'Fleet',
      ALL_PERMISSIONS.filter(permission => permission !== 'positions'),
    )
    const seenBy = (token: string, query: string) =>
      ofEveryRoute(async ({ wall }) => {
        const { path } = wall.request(world.facts)
        const { text } = await world.ask(token, 'GET', withQuery(path, query))
        return PLACES.filter(place => text.includes(place)).join(' ')
      }, READS)
    for (const query of ['', 'filterTimestamp=1970-01-01', 'eventType=POSITION', `deviceId=${world.facts.deviceId}`]) {
      expect(await seenBy(blind, query)).toEqual(all('', READS))
      const seen = await seenBy(world.owner, query)
      for (const route of ['/events', '/vehicles', '/trips'])
        expect(seen.find(text => text.startsWith(`GET /cc/v2.0${route}:`))).not.toMatch(/: $/)
    }
    const speeds = await world.ask(
      blind,
      'GET',
      '/cc/v2.0/events?eventType=POSITION,GPS_SPEED&deviceId=356307042441013',
    )
    expect(JSON.parse(speeds.text)).toEqual([
      expect.objectContaining({ event_type: 'GPS_SPEED' }),
      expect.objectContaining({ event_type: 'GPS_SPEED' }),
    ])
  })
})

it('pages that everybody may see hold nothing of the fleet', async () => {
  for (const path of ['/openapi.json', '/docs', '/healthz', '/readyz', '/metrics', '/', '/ingest', '/cc/v2.0']) {
    const { text } = await world.ask(undefined, 'GET', path)
    expect(PLACES.filter(place => text.includes(place))).toEqual([])
    // The document's own examples have IMEIs, of the kind that this test has.
    const isDocument = path === '/openapi.json'
    expect(isDocument ? '' : text).not.toContain(String(world.facts.deviceId))
  }
})
