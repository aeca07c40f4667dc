import { revised, unnestOf } from '../../db/bulk-rows.ts'
import type { Database } from '../../db/database.ts'
import { lockDevices } from '../../db/shards/locked-devices.ts'
import { shardOf } from '../../db/shards/shards.ts'
import { sql, verbatim } from '../../db/sql.ts'
import { type Transaction, writeTransaction } from '../../db/transaction.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { AddressTexts } from './texts.ts'

/** What was found for a place. */
interface AddressFill {
  readonly id: number
  /** undefined when nothing was found; then the address stays empty and does not wait any longer. */
  readonly texts: AddressTexts | undefined
  /** A geocoder's answer; otherwise it is the gazetteer's, which never replaces one. */
  readonly isGeocoded: boolean
}

/**
 * Writes texts of addresses. Every trip and incident that shows one whose texts change gets a new revision in the same
 * transaction (decisions.md, *Sync*), also those marked as deleted, because they are listed with their addresses.
 * Addresses that a writer of them is using at this moment are left for the next time, so that writers never wait for them.
 * @returns how many addresses were written.
 */
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
