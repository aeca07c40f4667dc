import { insertOf, revised } from '../db/bulk-rows.ts'
import type { LockedDevices } from '../db/shards.ts'
import { allOf, type Connection, sql } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Assignment } from '../derive/device-records.ts'
import type { DeviceId } from '../model/sample.ts'

interface NewDevice {
  readonly deviceId: DeviceId
  readonly accountId: number
  /** Only a key of the account claims it. */
  readonly isClaimed?: boolean
}

/** Lets dongles join that do not exist: each gets a vehicle that answers to `IMEI_…` until its VIN is known. */
export async function registerDevices(
  locked: LockedDevices,
  devices: readonly NewDevice[],
): Promise<Map<DeviceId, Assignment>> {
  if (devices.length === 0) return new Map()
  const transaction = locked.transactionFor(devices)
  const added = devices.map(({ deviceId, isClaimed }) => ({ id: deviceId, is_claimed: isClaimed ?? false }))
  await transaction.rows(
    insertOf(
      'devices',
      await revised(transaction, added),
      sql`on conflict (id) do update set
        deleted = null, created = clock_timestamp(), is_claimed = excluded.is_claimed, modified = excluded.modified`,
    ),
  )
  const cars = devices.map(({ accountId, deviceId }) => ({ account_id: accountId, first_device_id: deviceId }))
  const placed = await transaction.rows<{ device_id: DeviceId; account_id: number; vehicle_id: number }>(
    insertOf(
      'vehicles',
      await revised(transaction, cars),
      sql`on conflict (account_id, public_id) do update set deleted = null, modified = excluded.modified
      returning first_device_id as device_id, account_id, id as vehicle_id`,
    ),
  )
  await transaction.rows(insertOf('assignments', placed))
  return new Map(
    placed.map(({ device_id, account_id, vehicle_id }) => [
      device_id,
      {
        accountId: account_id,
        vehicleId: vehicle_id,
        fromMs: Number.NEGATIVE_INFINITY,
        toMs: Number.POSITIVE_INFINITY,
      },
    ]),
  )
}

/** A dongle that is known, as far as it matters to what comes from it without a key. */
export interface KnownReporter {
  /** The model; empty while nobody knows it. */
  readonly hardwareType: string
  /** Networks (CIDR) from which it may report; empty for anywhere. */
  readonly networks: readonly string[]
  /** Only a key of its account claims it. */
  readonly isClaimed: boolean
}

export async function readKnownReporters(
  connection: Connection,
  deviceIds: readonly DeviceId[],
): Promise<Map<DeviceId, KnownReporter>> {
  const rows = await connection.rows<KnownReporter & { readonly id: DeviceId }>(
    sql`
      select d.id, d.hardware_type as "hardwareType", d.is_claimed as "isClaimed",
        case when d.networks <> '{}' then d.networks else coalesce(c.networks, '{}') end as networks
      from devices d
      left join assignments a on a.device_id = d.id and a.to_time = 'infinity'
      left join accounts c on c.id = a.account_id
      where d.id = any(${deviceIds}::bigint[]) and d.deleted is null`,
    { prepareAs: 'known-reporters' },
  )
  return new Map(rows.map(row => [row.id, row]))
}

export async function readDeviceOwners(
  connection: Connection,
  deviceIds: readonly DeviceId[],
): Promise<Map<DeviceId, number>> {
  const rows = await connection.rows<{ device_id: DeviceId; account_id: number }>(
    sql`
      select device_id, account_id from assignments
      where device_id = any(${deviceIds}::bigint[]) and to_time = 'infinity'`,
    { prepareAs: 'device-owners' },
  )
  return new Map(rows.map(row => [row.device_id, row.account_id]))
}

export interface ListedDevice {
  readonly imei: DeviceId
  readonly account: string
  readonly vehicleId: string
  readonly plate: string
  readonly vin: string | null
  readonly make: string
  readonly model: string
  readonly isOnline: boolean
  /** By the database's clock; null while nothing came. */
  readonly lastReceived: string | null
  readonly hardware: string
  readonly firmware: string
}

/** The dongles of one account or of all, by IMEI. @param search a part of any listed text, ignoring case */
export function listDevices(
  connection: Connection,
  { account, search }: { readonly account: string | undefined; readonly search: string | undefined },
): Promise<ListedDevice[]> {
  const conditions = [sql`a.to_time = 'infinity'`]
  if (account !== undefined) conditions.push(sql`c.name = ${account}`)
  if (search !== undefined)
    conditions.push(sql`strpos(lower(concat_ws(' ', d.id, v.public_id, v.license_plate, v.vin, v.make, v.model,
      d.hardware_type, d.firmware_version, c.name)), lower(${search})) > 0`)
  return connection.rows<ListedDevice>(sql`
    select d.id as imei, c.name as account, v.public_id as "vehicleId", v.license_plate as plate, v.vin, v.make, v.model,
      d.is_online as "isOnline", s.last_received as "lastReceived", d.hardware_type as hardware,
      d.firmware_version as firmware
    from devices d
    join assignments a on a.device_id = d.id
    join vehicles v on v.id = a.vehicle_id
    join accounts c on c.id = a.account_id
    left join device_states s on s.device_id = d.id
    where ${allOf(conditions)} order by d.id`)
}

/** The owner of networks: one dongle, or an account for its dongles that have none. */
export type NetworksOf =
  | { readonly kind: 'device'; readonly deviceId: DeviceId }
  | { readonly kind: 'account'; readonly accountId: number }

/** Networks from which they may report, in CIDR notation; empty for anywhere. @returns undefined when there is no such dongle */
export async function readAllowedNetworks(
  transaction: Transaction,
  of: NetworksOf,
): Promise<readonly string[] | undefined> {
  const [row] = await transaction.rows<{ networks: readonly string[] }>(sql`select networks from ${rowOf(of)}`)
  return row?.networks
}

/** @param networks empty for anywhere. @returns whether there is such a dongle. */
export async function setAllowedNetworks(
  transaction: Transaction,
  of: NetworksOf,
  networks: readonly string[],
): Promise<boolean> {
  const rows = await transaction.rows(
    of.kind === 'device'
      ? sql`update devices set networks = ${networks}::text[] where id = ${of.deviceId} and deleted is null returning id`
      : sql`update accounts set networks = ${networks}::text[] where id = ${of.accountId} returning id`,
  )
  return rows.length > 0
}

function rowOf(of: NetworksOf) {
  return of.kind === 'device'
    ? sql`devices where id = ${of.deviceId} and deleted is null`
    : sql`accounts where id = ${of.accountId}`
}
