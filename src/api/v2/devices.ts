import { type Static, Type } from 'typebox'
import { allOf, type Connection, type Statement, sql } from '../../db/sql.ts'
import { vehicleIdStatement } from '../../fleet/vehicles.ts'
import {
  booleanParameter,
  deviceIdParameter,
  deviceIdsParameter,
  filterTimestampParameter,
  syncListParameters,
} from '../../server/http/parameters.ts'
import { orNotFound, type Resource, routesOf } from '../context.ts'
import { changesOfList, type GivenLowWatermark, readSyncPage, type SyncPage, sendSyncPage } from '../lists.ts'
import { deviceIdField, revision, syncList } from '../schemas.ts'

/** GET /devices and /devices/{deviceId}: the dongles of the caller's account. */
export const devices: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'devices', tag: 'Devices' })
  route('GET /devices', {
    summary: 'List devices',
    description: 'The dongles that are in a vehicle of the account, by id; by modifyTimestamp with filterTimestamp.',
    query: DeviceListQuery,
    reply: DeviceList,
    answer: async asked => {
      const page = await listDevices(asked.reads, asked.accountId, asked.query)
      return sendSyncPage(asked, 'devices', page, deviceOf)
    },
  })
  route('GET /devices/:deviceId', {
    summary: 'Get one device',
    params: DevicePath,
    query: DeviceQuery,
    reply: Device,
    fails: [404],
    hasEtag: true,
    answer: async asked => {
      const { deviceId } = asked.params
      const row = orNotFound(await findDevice(asked.reads, asked.accountId, deviceId), `The device ${deviceId}`)
      return deviceOf(row)
    },
  })
}

type DeviceRow = Omit<Device, 'modifyTimestamp'> & { readonly modified: string }

const FROM = sql`devices item join assignments a on a.device_id = item.id and a.to_time = 'infinity'`
const FOUND = sql`item.*, a.account_id, a.vehicle_id`
const JOINS = sql`join vehicles v on v.id = item.vehicle_id`

/** decisions.md, *Vehicles and devices*: what it reported last, else plugged in while it sends. */
const IS_PLUGGED_IN = sql`coalesce(item.is_plugged_in, item.is_online)`

const COLUMNS = sql`
  item.id, item.manufacturer, item.hardware_type as "hardwareType", item.hardware_version as "hardwareVersion",
  item.firmware_version as "firmwareVersion", item.is_online as "isOnline", ${IS_PLUGGED_IN} as "isPluggedIn",
  v.public_id as "vehicleId",
  coalesce((
    select t.id::text from trips t
    where t.device_id = item.id and t.is_open and t.deleted is null and t.account_id = item.account_id
    order by t.start_time desc, t.id desc limit 1
  ), '') as "tripId",
  item.modified`

/** `vehicleId` is a public one: only those in this vehicle. */
function listDevices(
  connection: Connection,
  accountId: number,
  query: DeviceListQuery & GivenLowWatermark & { readonly vehicleId?: string | undefined },
): Promise<SyncPage<DeviceRow>> {
  const conditions: Statement[] = [sql`a.account_id = ${accountId}`]
  if (query.deviceIds !== undefined) conditions.push(sql`item.id = any(${query.deviceIds}::bigint[])`)
  if (query.vehicleId !== undefined)
    conditions.push(sql`a.vehicle_id = ${vehicleIdStatement(accountId, query.vehicleId)}`)
  if (query.isOnline !== undefined) conditions.push(sql`item.is_online = ${query.isOnline}`)
  if (query.isPluggedIn !== undefined) conditions.push(sql`${IS_PLUGGED_IN} = ${query.isPluggedIn}`)
  if (query.fromTimestamp !== undefined) conditions.push(sql`item.modified >= ${query.fromTimestamp}::timestamptz`)
  if (query.toTimestamp !== undefined) conditions.push(sql`item.modified <= ${query.toTimestamp}::timestamptz`)
  const list = { name: 'devices', from: [FROM], conditions, found: FOUND, joins: JOINS, columns: COLUMNS } as const
  return readSyncPage(connection, list, query)
}

async function findDevice(connection: Connection, accountId: number, deviceId: number): Promise<DeviceRow | undefined> {
  const conditions = allOf([sql`a.account_id = ${accountId}`, sql`item.id = ${deviceId}`])
  const [row] = await connection.rows<DeviceRow>(
    sql`select ${COLUMNS} from (select ${FOUND} from ${FROM} where ${conditions}) as item ${JOINS}`,
    { prepareAs: 'find-device' },
  )
  return row
}

function deviceOf({ modified, ...fields }: DeviceRow): Device {
  return { ...fields, modifyTimestamp: modified }
}

export const deviceChanges = changesOfList(
  'devices',
  (reads, accountId, { deviceId, ...query }) =>
    listDevices(reads, accountId, { ...query, ...(deviceId !== undefined && { deviceIds: [deviceId] }) }),
  rows => rows.map(row => JSON.stringify(deviceOf(row))),
)

/** A dongle, as clients see it (fleet-api-v2.md, *Device*). */
export const Device = Type.Object(
  {
    id: deviceIdField,
    manufacturer: Type.String({ description: 'Hardware manufacturer.', examples: ['Teltonika'] }),
    hardwareType: Type.String({ description: 'Hardware type.', examples: ['FMB003'] }),
    hardwareVersion: Type.String({ description: 'Hardware version.' }),
    firmwareVersion: Type.String({
      description: 'Software version that runs on the device.',
      examples: ['03.28.07.Rev.01'],
    }),
    isOnline: Type.Boolean({ description: 'Whether the device sends data at the moment.' }),
    isPluggedIn: Type.Boolean({ description: 'Whether the device is plugged into a vehicle.' }),
    vehicleId: Type.String({ description: 'The vehicle it is installed in.', examples: ['VINWVWZZZ1KZAW000001'] }),
    tripId: Type.String({
      description:
        'The trip in progress; empty when not driving, and while the trip of another device in the vehicle counts instead.',
      examples: ['4711'],
    }),
    modifyTimestamp: revision('When the device status last changed.'),
  },
  { title: 'Device', description: 'A dongle.' },
)
export type Device = Static<typeof Device>

const DeviceList = syncList('devices', Device, 'DeviceList')

const DeviceListQuery = Type.Object({
  deviceIds: Type.Optional(deviceIdsParameter('Only these devices: IMEIs, separated by commas.')),
  isOnline: Type.Optional(booleanParameter('Only devices that are online, or only those that are not.')),
  isPluggedIn: Type.Optional(booleanParameter('Only devices that are plugged in, or only those that are not.')),
  ...syncListParameters('modifyTimestamp'),
})
type DeviceListQuery = Static<typeof DeviceListQuery>

const DevicePath = Type.Object({ deviceId: deviceIdParameter('The IMEI of the device.') })

const DeviceQuery = Type.Object({
  filterTimestamp: Type.Optional(filterTimestampParameter()),
})
