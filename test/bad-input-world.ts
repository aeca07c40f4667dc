import fc from 'fast-check'
import { ensureFirstUser } from '../src/access/users.ts'
import { sql } from '../src/db/sql.ts'
import { deep } from './deep.ts'
import { fleetRows } from './fleet-rows.ts'
import { type RawReply, type RawRequest, sendRaw } from './raw-http.ts'
import { startService, type TestService } from './service.ts'
import { settled } from './settled.ts'

export const DEVICE = 17
export const VEHICLE = `IMEI_${DEVICE}`

/** A service with one of everything, and its key. */
export interface BadInputWorld {
  readonly service: TestService
  /** Sends with the key. */
  send(request: RawRequest): Promise<RawReply>
  /** Everything that is stored, as one text, when nothing that follows from it is still to be worked out. */
  stored(): Promise<string>
  /** How many events are stored. */
  countEvents(): Promise<number>
}

export async function startBadInputWorld(): Promise<BadInputWorld> {
  const service = await startService()
  const { database } = service
  const authorization = `Bearer ${await service.key('Fleet')}`
  const send = (request: RawRequest) =>
    sendRaw(service.url, { ...request, headers: { authorization, ...request.headers } })

  const event = { deviceId: DEVICE, recordedTimestamp: '2020-02-22T14:37:07Z' }
  await send({
    method: 'POST',
    target: '/ingest/events',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([
      { ...event, eventType: 'GPS_SPEED', value: 1 },
      { ...event, eventType: 'POSITION', value: 'POINT(8 49)' },
    ]),
  })
  const [car] = await database.rows<{ accountId: number; vehicleId: number }>(
    sql`select account_id as "accountId", id as "vehicleId" from vehicles`,
  )
  if (!car) throw new Error('the ingest made no vehicle')
  const rows = fleetRows(database)
  await rows.trip({ ...car, deviceId: DEVICE, publicId: VEHICLE }, { start: '2020-02-22T14:00:00Z' })
  await rows.dtc({ ...car, deviceId: DEVICE, publicId: VEHICLE }, { recorded: '2020-02-22T14:00:00Z' })
  await ensureFirstUser(database, { email: 'a@example.com', password: 'long enough' })
  return {
    service,
    send,
    async stored() {
      await settled(database)
      const { rows: parts } = await database.readers.query<{ text: string }>({ name: 'stored', text: EVERYTHING })
      return parts.map(({ text }) => text).join('\n')
    },
    async countEvents() {
      const [row] = await database.rows<{ count: number }>(
        sql`select coalesce(sum(cardinality(h.types)), 0) as count from samples s join layouts h on h.id = s.layout_id`,
      )
      return row?.count ?? 0
    },
  }
}

/** All that requests can change, but the counts of failed logins. */
const TABLES = [
  'devices',
  'vehicles',
  'former_vehicle_ids',
  'assignments',
  'device_states',
  'latest_values',
  'samples',
  'trips',
  'dtcs',
  'rules',
  'rule_versions',
  'rule_changes',
  'incidents',
  'tokens',
  'users',
  'api_keys',
]
const EVERYTHING = TABLES.map(
  table => `select '${table}: ' || coalesce(string_agg(t::text, ';' order by t::text), '') as text from ${table} t`,
).join(' union all ')

/** @throws when the reply is a fault of ours, or a refusal that does not say in plain words what is wrong. */
export function mustBePlain({ status, headers, text }: RawReply): void {
  if (status < 200 || status >= 500) throw new Error(`answered with ${status}: ${text}`)
  if (status < 400) return
  if (!headers['content-type']?.startsWith('application/json')) throw new Error(`${status} is not JSON: ${text}`)
  const { errorMessage } = JSON.parse(text) as { errorMessage?: unknown }
  if (typeof errorMessage !== 'string' || !/^\S.*\.$/s.test(errorMessage))
    throw new Error(`${status} does not say what is wrong: ${text}`)
}

/**
 * Tries a check on many values, for a second or two; on one at least, however busy the machine is.
 * @returns what was found, undefined when nothing was.
 */
export async function findingOf<T>(
  values: fc.Arbitrary<T>,
  check: (value: T) => Promise<void>,
  { numRuns, longestMs = deep(1500) }: { readonly numRuns: number; readonly longestMs?: number },
): Promise<string | undefined> {
  let running: Promise<void> = Promise.resolve()
  const property = fc.asyncProperty(values, value => {
    running = check(value)
    return running
  })
  const first = await fc.check(property, { numRuns: 1, endOnFailure: true })
  const details = first.failed
    ? first
    : await fc.check(property, { numRuns, interruptAfterTimeLimit: longestMs, endOnFailure: true })
  // When the time is over, the check under way is abandoned; what it still changes must not affect the next one.
  await running.catch(() => undefined)
  // Without a counterexample, time was over before a second value was tried.
  return details.failed && details.counterexample !== null
    ? `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}`
    : undefined
}
