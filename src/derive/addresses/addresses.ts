import { revised, unnestOf } from '../../db/bulk-rows.ts'
import type { Database } from '../../db/database.ts'
import { lockDevices, shardOf } from '../../db/shards.ts'
import { type Connection, sql, verbatim } from '../../db/sql.ts'
import { type Transaction, writeTransaction } from '../../db/transaction.ts'
import type { DeviceId, Position } from '../../model/sample.ts'

/** About a metre: what a dongle measures is not finer, and one parking lot does not fill the table. */
const DIGITS_FACTOR = 1e5

/** The rows of `addresses` for these positions, rounded to five digits; adds missing ones. Call it once in a
 * transaction: its fixed order prevents deadlocks. @returns ids, in the order of the positions */
export async function ensureAddresses(transaction: Transaction, positions: readonly Position[]): Promise<number[]> {
  if (positions.length === 0) return []
  const places = positions.map(({ lat, lon }) => ({ lat: rounded(lat), lon: rounded(lon) }))
  const lats = places.map(place => place.lat)
  const lons = places.map(place => place.lon)
  const known = await readIds(transaction, lats, lons)
  const isMissing = () => places.some(place => !known.has(keyOf(place)))
  if (isMissing()) {
    // In the order of the index; what another transaction adds meanwhile is found by the second look.
    const added = await transaction.rows<Position & { id: number }>(
      sql`
        insert into addresses (lat, lon)
        select distinct lat, lon from unnest(${lats}::float8[], ${lons}::float8[]) as u (lat, lon)
        order by lat, lon on conflict (lat, lon) do nothing returning id, lat, lon`,
      { prepareAs: 'add-addresses' },
    )
    for (const row of added) known.set(keyOf(row), row.id)
  }
  if (isMissing()) for (const [key, id] of await readIds(transaction, lats, lons)) known.set(key, id)
  return places.map(place => {
    const id = known.get(keyOf(place))
    if (id === undefined) throw new Error(`no address at ${keyOf(place)} after adding it`)
    return id
  })
}

async function readIds(
  transaction: Transaction,
  lats: readonly number[],
  lons: readonly number[],
): Promise<Map<string, number>> {
  const rows = await transaction.rows<Position & { id: number }>(
    sql`
      select a.id, a.lat, a.lon from addresses a
      where (a.lat, a.lon) in (select * from unnest(${lats}::float8[], ${lons}::float8[]))`,
    { prepareAs: 'find-addresses' },
  )
  return new Map(rows.map(row => [keyOf(row), row.id]))
}

function rounded(degrees: number): number {
  return Math.round(degrees * DIGITS_FACTOR) / DIGITS_FACTOR
}

function keyOf({ lat, lon }: Position): string {
  return `${lat} ${lon}`
}

interface AddressFill {
  readonly id: number
  /** undefined when nothing was found; then the address stays empty and does not wait any longer. */
  readonly texts: AddressTexts | undefined
  /** A geocoder's answer; otherwise it is the gazetteer's, which never replaces one. */
  readonly isGeocoded: boolean
}

/** Writes texts of addresses. Trips and incidents that show changed ones, deleted ones too, get new revisions
 * (decisions.md, *Sync*). Skips addresses in use, so that writers never wait. @returns how many were written */
export function fillAddresses(database: Database, fills: readonly AddressFill[]): Promise<number> {
  return writeTransaction(database, async transaction => {
    const ids = fills.map(fill => fill.id)
    const devices = (await readUsers(transaction, ids)).map(user => user.deviceId)
    // Shards come first, as for every writer; without them, a writer of a trip and this could deadlock.
    await lockDevices(transaction, devices)
    const shards = new Set(devices.map(shardOf))
    const locked = await lockAddresses(transaction, fills)
    // From here on no transaction starts to use these addresses; what did in the meantime is on a shard that we do not hold.
    const users = await readUsers(
      transaction,
      locked.map(address => address.id),
    )
    const strange = new Set(users.filter(user => !shards.has(shardOf(user.deviceId))).flatMap(user => user.addressIds))
    const ours = locked.filter(address => !strange.has(address.id))
    await writeTexts(
      transaction,
      fills.filter(fill => ours.some(address => address.id === fill.id)),
    )
    const changed = new Set(ours.filter(address => address.isChange).map(address => address.id))
    const shown = users.filter(user => user.addressIds.some(id => changed.has(id)))
    for (const table of ['trips', 'incidents'] as const)
      await revise(
        transaction,
        table,
        shown.filter(user => user.table === table),
      )
    return ours.length
  })
}

/** A trip or an incident. */
interface UserOfAddresses {
  readonly table: 'trips' | 'incidents'
  readonly id: number
  readonly deviceId: DeviceId
  readonly addressIds: readonly number[]
}

function readUsers(transaction: Transaction, addressIds: readonly number[]): Promise<UserOfAddresses[]> {
  const usersIn = (table: UserOfAddresses['table']) => sql`
    select ${table}::text as "table", t.id, t.device_id as "deviceId",
      array_remove(array[t.start_address_id, t.end_address_id], null) as "addressIds"
    from ${verbatim(table)} t
    where t.start_address_id = any(${addressIds}::bigint[]) or t.end_address_id = any(${addressIds}::bigint[])`
  return transaction.rows<UserOfAddresses>(
    sql`${usersIn('trips')} union all ${usersIn('incidents')} order by "deviceId", "table", id`,
    { prepareAs: 'users-of-addresses' },
  )
}

/** Locks those that still want these texts. A writer of what refers to one holds a lock of its own on it. */
function lockAddresses(
  transaction: Transaction,
  fills: readonly AddressFill[],
): Promise<{ id: number; isChange: boolean }[]> {
  return transaction.rows<{ id: number; isChange: boolean }>(
    sql`
      select a.id, a.texts <> u.texts::jsonb as "isChange"
      from ${rowsOf(fills)}
      join addresses a on a.id = u.id
      where case when u.is_geocoded then a.geocoded is null else a.found is null end
      order by a.id for update of a skip locked`,
    { prepareAs: 'lock-addresses' },
  )
}

async function writeTexts(transaction: Transaction, fills: readonly AddressFill[]): Promise<void> {
  if (fills.length === 0) return
  await transaction.rows(
    sql`
      update addresses a set texts = u.texts::jsonb, found = clock_timestamp(),
        geocoded = case when u.is_geocoded then clock_timestamp() end
      from ${rowsOf(fills)} where a.id = u.id`,
    { prepareAs: 'fill-addresses' },
  )
}

function rowsOf(fills: readonly AddressFill[]) {
  const rows = fills.map(({ id, texts, isGeocoded }) => ({
    id,
    texts: JSON.stringify(texts ?? {}),
    is_geocoded: isGeocoded,
  }))
  return unnestOf({ id: 'bigint', texts: 'jsonb', is_geocoded: 'boolean' }, rows)
}

async function revise(
  transaction: Transaction,
  table: UserOfAddresses['table'],
  users: readonly UserOfAddresses[],
): Promise<void> {
  if (users.length === 0) return
  const rows = users.map(({ deviceId, id }) => ({ device_id: deviceId, id }))
  await transaction.rows(sql`
    ${table === 'trips' ? sql`update trips` : sql`update incidents`} item set modified = u.modified
    from ${unnestOf({ device_id: 'bigint', id: 'bigint', modified: 'timestamptz' }, await revised(transaction, rows))}
    where item.device_id = u.device_id and item.id = u.id`)
}

export interface AddressQuestion extends Position {
  readonly id: number
  /** Those known already, from the gazetteer. */
  readonly texts: Partial<AddressTexts>
  /** How often it was asked, this time included. */
  readonly asked: number
  /** The answer for a place in the same cell: then no request is needed. */
  readonly cellTexts: AddressTexts | null
}

/** Longer than two requests with their pauses take; afterwards another node may ask, in case this one is gone. */
const CLAIM_MINUTES = 10

const MAY_BE_ASKED = sql`a.geocoded is null and a.found is not null and a.ask_after <= clock_timestamp()`

export const QUESTIONS_WAIT = sql`exists (select from addresses a where ${MAY_BE_ASKED})`

export async function hasQuestions(connection: Connection): Promise<boolean> {
  const [row] = await connection.rows<{ exists: boolean }>(sql`select ${QUESTIONS_WAIT} as exists`, {
    prepareAs: 'has-address-questions',
  })
  return row?.exists ?? false
}

/** Takes the next place, so that no other node asks about it: never asked first, newest
 * first, as a user may look at it. */
export function claimQuestion(database: Database): Promise<AddressQuestion | undefined> {
  return writeTransaction(database, async transaction => {
    const [question] = await transaction.rows<AddressQuestion>(
      sql`
        update addresses a set
          asked = least(a.asked + 1, 1000),
          ask_after = clock_timestamp() + ${CLAIM_MINUTES} * interval '1 minute'
        where a.id = (
          select a.id from addresses a where ${MAY_BE_ASKED}
          order by a.ask_after, a.id desc limit 1 for no key update skip locked)
        returning a.id, a.lat, a.lon, a.texts, a.asked, ${CELL_TEXTS} as "cellTexts"`,
      { prepareAs: 'claim-address-question' },
    )
    return question
  })
}

export async function postponeQuestion(database: Database, addressId: number, pauseS: number): Promise<void> {
  await writeTransaction(database, transaction =>
    transaction.rows(sql`
      update addresses set ask_after = clock_timestamp() + ${pauseS} * interval '1 second' where id = ${addressId}`),
  )
}

/** Takes the next turn to send a request; all nodes share the turns, one every `everyMs`.
 * @returns the milliseconds until it */
export function takeTurn(database: Database, everyMs: number): Promise<number> {
  return writeTransaction(database, async transaction => {
    const [row] = await transaction.rows<{ wait_ms: number }>(
      sql`
        insert into sweeps as s (name, last_run, steady_since)
        values ('geocoder', clock_timestamp(), clock_timestamp())
        on conflict (name) do update set
          last_run = greatest(s.last_run + ${everyMs}::float8 * interval '1 millisecond', clock_timestamp())
        returning greatest(0, extract(epoch from last_run - clock_timestamp()) * 1000)::float8 as wait_ms`,
      { prepareAs: 'take-geocoder-turn' },
    )
    return row?.wait_ms ?? 0
  })
}

/** Keeps all nodes from sending requests for that long. */
export async function pauseTurns(database: Database, pauseMs: number): Promise<void> {
  await writeTransaction(database, transaction =>
    transaction.rows(sql`
      update sweeps set last_run = greatest(last_run, clock_timestamp() + ${pauseMs}::float8 * interval '1 millisecond')
      where name = 'geocoder'`),
  )
}

interface WaitingAddress extends Position {
  readonly id: number
  /** The answer of a geocoder for a place in the same cell, ten metres wide. */
  readonly cellTexts: AddressTexts | null
}

export const ADDRESSES_WAIT = sql`exists (select from addresses where found is null)`

/** The places that wait longest. */
export function readWaitingAddresses(connection: Connection, count: number): Promise<WaitingAddress[]> {
  return connection.rows<WaitingAddress>(
    sql`
      select a.id, a.lat, a.lon, ${CELL_TEXTS} as "cellTexts"
      from addresses a where a.found is null order by a.id limit ${count}`,
    { prepareAs: 'read-waiting-addresses' },
  )
}

/** The answer that the cell of `a` has already. */
const CELL_TEXTS = sql`(
  select c.texts from addresses c
  where c.cell_lat = a.cell_lat and c.cell_lon = a.cell_lon and c.geocoded is not null
  order by c.id limit 1)`

/** The ids of all places in the cell of this one that no geocoder's answer reached yet; it is one of them. */
export async function readUnansweredCell(connection: Connection, addressId: number): Promise<number[]> {
  const rows = await connection.rows<{ id: number }>(sql`
    select c.id from addresses a join addresses c on c.cell_lat = a.cell_lat and c.cell_lon = a.cell_lon
    where a.id = ${addressId} and c.geocoded is null order by c.id`)
  return rows.map(row => row.id)
}

/** The parts of an address that are texts, as the contract names them; lat and lon are columns. */
type AddressPart = 'road' | 'houseNumber' | 'suburb' | 'locality' | 'state' | 'country' | 'postcode'

/** The texts of an address in one language; what is absent is not known. */
export type AddressParts = Readonly<Partial<Record<AddressPart, string>>>

export const ADDRESS_LANGUAGES = ['en', 'de'] as const
export type AddressLanguage = (typeof ADDRESS_LANGUAGES)[number]

/** The content of `addresses.texts`. */
export type AddressTexts = Readonly<Record<AddressLanguage, AddressParts>>
