import { imeiOf } from '../lab/simulation/imei.ts'
import { createKey } from '../src/access/keys.ts'
import { createUser, ensureFirstUser } from '../src/access/users.ts'
import type { Database } from '../src/db/database.ts'
import { sql } from '../src/db/sql.ts'
import { writeTransaction } from '../src/db/transaction.ts'
import { createAreas } from '../src/fleet/areas/change-areas.ts'
import { admitDevices } from '../src/fleet/with-consequences.ts'
import { fleetRows } from './fleet-rows.ts'
import { askHttp, type Reply } from './http-client.ts'
import { startService, type TestService } from './service.ts'
import { WALLS, type Wall, type WallFacts } from './walls.ts'

/** What only those may see who may see positions. */
export const PLACES = ['8.4037', '49.0069', 'Castle Square', 'Schlossplatz', '_p~iF~ps|U_ulLnnqC']

/** A part of the names of all users and keys of Fleet. */
export const FLEET_NAMES = 'fleet.example.com'
/** Somebody of Fleet with every permission. */
export const OWNER_EMAIL = `owner@${FLEET_NAMES}`

interface Route {
  readonly name: string
  readonly method: string
  readonly wall: Wall
}

export const ROUTES: readonly Route[] = Object.entries(WALLS).map(([name, wall]) => ({
  name,
  method: name.split(' ', 1)[0] ?? '',
  wall,
}))
export const GUARDED = ROUTES.filter(({ wall }) => wall.needs !== 'public')
/** A phone sends its reports by GET, too; these read nothing. */
export const READS = GUARDED.filter(({ method, wall }) => method === 'GET' && wall.needs !== 'ingest')

/** A service with one of everything in the account Fleet. */
interface WallWorld {
  readonly service: TestService
  readonly accountId: number
  readonly facts: WallFacts
  /** A key of Fleet with every permission. */
  readonly owner: string
  ask(token: string | undefined, method: string, path: string, body?: unknown): Promise<Reply>
  askWith(headers: Record<string, string>, method: string, path: string, body?: unknown): Promise<Reply>
  askRoute(token: string | undefined, route: Route): Promise<Reply>
  /** The same with a user, a key, an address and a dongle of its own, so that it succeeds however often it is asked. */
  askFresh(token: string | undefined, route: Route): Promise<Reply>
}

export async function startWallWorld(): Promise<WallWorld> {
  const service = await startService()
  const rows = fleetRows(service.database)
  const owner = await service.key('Fleet')
  const deviceId = 356307042441013

  const askWith: WallWorld['askWith'] = (headers, method, path, body) =>
    askHttp(service.url + path, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const ask: WallWorld['ask'] = (token, method, path, body) =>
    askWith(token === undefined ? {} : { authorization: `Bearer ${token}` }, method, path, body)

  const event = { deviceId, recordedTimestamp: '2020-02-22T14:37:07Z' }
  await ask(owner, 'POST', '/ingest/events', [
    { ...event, eventType: 'POSITION', value: 'POINT(8.4037 49.0069)' },
    { ...event, eventType: 'GPS_SPEED', value: 48.5 },
  ])
  const [vehicle] = await service.database.rows<{ accountId: number; vehicleId: number }>(
    sql`select account_id as "accountId", id as "vehicleId" from vehicles`,
  )
  if (!vehicle) throw new Error('the ingest made no vehicle')
  const car = { ...vehicle, deviceId, publicId: `IMEI_${deviceId}` }
  const texts = { en: { road: 'Castle Square' }, de: { road: 'Schlossplatz' } }
  const startAddressId = await rows.address({ lat: 49.0069, lon: 8.4037, texts })
  const start = '2020-02-22T14:37:00Z'
  const tripId = await rows.trip(car, { start, startAddressId, polyline: '_p~iF~ps|U_ulLnnqC' })
  await rows.dtc(car, { recorded: start })
  const newRule = async () => {
    const reply = await ask(owner, 'POST', '/cc/v2.0/rules', { name: 'idle', kind: 'IDLING' })
    return (JSON.parse(reply.text) as { id: string }).id
  }
  const ruleId = await newRule()
  await ensureFirstUser(service.database, { email: OWNER_EMAIL, password: 'a long enough one' })
  const facts: WallFacts = {
    deviceId,
    vehicleId: car.publicId,
    tripId,
    areaId: await drawnArea(service.database, vehicle.accountId),
    goneAreaId: await drawnArea(service.database, vehicle.accountId),
    ruleId,
    incidentId: await rows.incident(car, { ruleId, start, startAddressId }),
    ...(await newcomers(service.database, vehicle.accountId, 'them')),
    newEmail: OWNER_EMAIL,
    newDeviceId: deviceId,
    goneDeviceId: await doomedDongle(service.database, vehicle.accountId, 499_999),
  }
  let serial = 0
  const askAbout = (token: string | undefined, { method, wall }: Route, about: WallFacts) => {
    const { path, body } = wall.request(about)
    return ask(token, method, path, body)
  }
  return {
    service,
    accountId: vehicle.accountId,
    facts,
    owner,
    ask,
    askWith,
    askRoute: (token, route) => askAbout(token, route, facts),
    async askFresh(token, route) {
      serial++
      const fresh = route.name.includes('{id}')
        ? await newcomers(service.database, vehicle.accountId, `it${serial}`)
        : {}
      const [newEmail, newDeviceId] = [`new${serial}@example.com`, imeiOf('35630704', 500_000 + serial)]
      const goneDeviceId =
        route.name === 'DELETE /admin/devices/{deviceId}'
          ? await doomedDongle(service.database, vehicle.accountId, 600_000 + serial)
          : facts.goneDeviceId
      const goneAreaId =
        route.name === 'DELETE /cc/v2.0/areas/{areaId}'
          ? await drawnArea(service.database, vehicle.accountId)
          : facts.goneAreaId
      const ofRule =
        route.name.startsWith('DELETE') && route.name.includes('{ruleId}') ? { ruleId: await newRule() } : {}
      return askAbout(token, route, { ...facts, ...fresh, ...ofRule, newEmail, newDeviceId, goneDeviceId, goneAreaId })
    },
  }
}

/** A dongle that is there to be deleted. */
async function doomedDongle(database: Database, accountId: number, serial: number): Promise<number> {
  const deviceId = imeiOf('35630704', serial)
  await writeTransaction(database, transaction =>
    admitDevices(transaction, [{ deviceId, accountId }], { firstAccountId: accountId }),
  )
  return deviceId
}

/** An area that is there to be read, changed or deleted. */
async function drawnArea(database: Database, accountId: number): Promise<string> {
  const shape = { type: 'circle', center: [9, 50], radiusM: 200 } as const
  const area = { name: `Yard of ${FLEET_NAMES}`, kind: 'DEPOT', color: '#1c7ed6', shape, validFrom: undefined } as const
  const ids = await writeTransaction(database, transaction => createAreas(transaction, { accountId }, [area], 10_000))
  return String(ids[0])
}

/** A user and a key that are there to be changed and removed. */
async function newcomers(
  database: Database,
  accountId: number,
  name: string,
): Promise<Pick<WallFacts, 'userId' | 'keyId'>> {
  return writeTransaction(database, async transaction => {
    const [first] = await transaction.rows<{ passwordHash: string }>(
      sql`select password_hash as "passwordHash" from users order by id limit 1`,
    )
    const email = `${name}@${FLEET_NAMES}`
    const passwordHash = first?.passwordHash ?? ''
    const user = await createUser(transaction, { accountId, email, passwordHash, permissions: ['trips'] })
    if (user.kind === 'refused') throw new Error(user.text)
    const key = { accountId, name: `${name} ${FLEET_NAMES}`, permissions: ['trips'], expires: undefined } as const
    return { userId: String(user.id), keyId: String((await createKey(transaction, key)).id) }
  })
}

/** `<route>: <what came>` of each route, to be compared at once. */
export async function ofEveryRoute(show: (route: Route) => Promise<unknown>, routes = GUARDED): Promise<string[]> {
  const shown: string[] = []
  for (const route of routes) shown.push(`${route.name}: ${String(await show(route))}`)
  return shown
}

export function all(text: string, routes = GUARDED): string[] {
  return routes.map(({ name }) => `${name}: ${text}`)
}

/** What `ofEveryRoute` shows of statuses when each route succeeds that is open to a user or key with every permission. */
export function allSucceed(kind: 'user' | 'key', routes = GUARDED): string[] {
  return routes.map(({ name, wall }) => `${name}: ${statusFor(wall, kind)}`)
}

/** Of a route that the user or key has the permission for. */
export function statusFor({ needs, isForUsers, succeeds }: Wall, kind: 'user' | 'key'): number {
  return (needs === 'user' || isForUsers) && kind === 'key' ? 403 : (succeeds ?? 200)
}

export function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}
