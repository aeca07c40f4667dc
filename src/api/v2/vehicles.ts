import { type Static, Type } from 'typebox'
import { type EventTypeId, eventTypeById, eventTypeByName, requiredEventType } from '../../catalogue/event-types.ts'
import { type HiddenEventTypes, hiddenEventTypes } from '../../catalogue/permissions.ts'
import { type Connection, type Statement, sql } from '../../db/sql.ts'
import { textItems } from '../../db/values.ts'
import { currentDeviceOf, vehicleIdStatement } from '../../fleet/vehicles.ts'
import { notFound } from '../../model/errors.ts'
import { grouped } from '../../model/grouped.ts'
import { type DeviceId, SampleLayout } from '../../model/sample.ts'
import {
  deviceIdParameter,
  filterTimestampParameter,
  idParameter,
  syncListParameters,
  textsParameter,
} from '../../server/http/parameters.ts'
import { sendJsonList, sendJsonText } from '../../server/http/reply.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import { orNotFound, type Resource, routesOf } from '../context.ts'
import { camelFrame, camelHead, compareNames, eventTemplates, type TemplateOf, valueJson } from '../event-json.ts'
import { changesOfList, type GivenLowWatermark, linkNext, readSyncPage, type SyncPage } from '../lists.ts'
import { deviceIdField, instant, nullable, revision, syncList } from '../schemas.ts'
import { havePositions, notePositions } from '../security-lines.ts'

/** GET /vehicles and /vehicles/{vehicleId}: the cars of the caller's account with their latest values. */
export const vehicles: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'vehicles', tag: 'Vehicles' })
  route('GET /vehicles', {
    summary: 'List vehicles',
    description:
      'By id; by modifyTimestamp with filterTimestamp, and then the ids that vehicles had before their VIN was ' +
      'known are listed too, as deleted.',
    query: VehicleListQuery,
    reply: VehicleList,
    answer: async asked => {
      const { query, reads } = asked
      const { accountId, permissions } = asked.caller
      const page = await listVehicles(reads, accountId, query)
      const items = await vehicleTexts(reads, page.rows, hiddenEventTypes(permissions), query.lastEventTypes)
      if (page.next) linkNext(asked.request, asked.reply, page.next)
      if (havePositions(query.lastEventTypes)) notePositions(asked.request, {})
      return sendJsonList(asked.reply, '{"vehicles":[', items, `],"modifyTimestamp":"${page.modifyTimestamp}"}`)
    },
  })
  route('GET /vehicles/:vehicleId', {
    summary: 'Get one vehicle',
    params: VehiclePath,
    query: VehicleQuery,
    reply: Vehicle,
    fails: [404],
    hasEtag: true,
    answer: async asked => {
      const { accountId, permissions } = asked.caller
      const { deviceId, lastEventTypes } = asked.query
      const { vehicleId } = asked.params
      const { reads } = asked
      const rows = await findVehicle(reads, accountId, vehicleId)
      const vehicle = orNotFound(rows[0], `The vehicle ${vehicleId}`)
      if (deviceId !== undefined && !(await wasInVehicle(reads, deviceId, vehicle.id)))
        throw notFound(`The device ${deviceId} in the vehicle ${vehicleId}`)
      const latest = rows.filter(isLatest).filter(row => deviceId === undefined || row.latest_device === deviceId)
      const selection = selectLastEvents(lastEventTypes, hiddenEventTypes(permissions))
      notePositions(asked.request, { vehicleId })
      return sendJsonText(asked.reply, vehicleJson(vehicle, latest, selection))
    },
  })
}

function isLatest(row: FoundVehicle): row is VehicleRow & LatestRow {
  return row.latest_device !== null
}

/** A vehicle without its latest values. A former public id of a vehicle has a row, too: it is deleted, and nothing else. */
interface VehicleRow extends Readonly<typeof NOTHING> {
  readonly id: number
  readonly public_id: string
  readonly color: string
  readonly group: string
  readonly first_device_id: DeviceId
  readonly alarm_system: boolean | null
  readonly alarm_system_set: string | null
  readonly deleted: string | null
  readonly modified: string
  readonly is_former: boolean
}

/** Arrays as PostgreSQL writes them. */
interface LatestRow {
  readonly vehicle_id: number
  readonly latest_device: DeviceId
  readonly types: string
  readonly times: string
  readonly numbers: string
  readonly texts: string
}

const FIELDS = sql`
  v.id, v.public_id, coalesce(v.vin, '') as vin, v.tecdoc_make_id as "tecDocMakeId", v.tecdoc_model_id as "tecDocModelId",
  v.tecdoc_vehicle_id as "tecDocVehicleId", v.make, v.model, v.vehicle, v.fuel_type as "fuelType", v.kba,
  v.license_plate as "licensePlate", v.color, v.car_group as "group", v.first_device_id, v.alarm_system, v.alarm_system_set,
  ${currentDeviceOf(sql`v.id`)} as "deviceId",
  coalesce((
    select t.id::text from trips t where t.vehicle_id = v.id and t.is_open and t.deleted is null
    order by t.start_time desc, t.id desc limit 1
  ), '') as "tripId"`

const LATEST_FIELDS = sql`
  l.device_id as latest_device, l.types::text as types, l.times::text as times, l.numbers::text as numbers,
  l.texts::text as texts`

/** A row for every device that reported from the vehicle, at least one. */
type FoundVehicle = VehicleRow & { [K in keyof LatestRow]: LatestRow[K] | null }

/** Also by an id that it had before. */
function findVehicle(connection: Connection, accountId: number, publicId: string): Promise<FoundVehicle[]> {
  return connection.rows<FoundVehicle>(
    sql`
      select ${FIELDS}, v.deleted, false as is_former,
        greatest(v.modified, max(l.modified) over ()) as modified, l.vehicle_id, ${LATEST_FIELDS}
      from vehicles v left join latest_values l on l.vehicle_id = v.id
      where v.account_id = ${accountId} and v.id = ${vehicleIdStatement(accountId, publicId)}
      order by l.device_id`,
    { prepareAs: 'find-vehicle' },
  )
}

async function wasInVehicle(connection: Connection, deviceId: DeviceId, vehicleId: number): Promise<boolean> {
  const rows = await connection.rows(
    sql`select 1 from assignments where device_id = ${deviceId} and vehicle_id = ${vehicleId} limit 1`,
  )
  return rows.length > 0
}

/** With a filter, former public ids too, as deleted. `vehicleId` is a public one: only this vehicle. */
function listVehicles(
  connection: Connection,
  accountId: number,
  query: VehicleListQuery & GivenLowWatermark & { readonly vehicleId?: string | undefined },
): Promise<SyncPage<VehicleRow>> {
  const conditions: Statement[] = []
  if (query.deviceId !== undefined)
    conditions.push(sql`item.id in (
      select vehicle_id from assignments where device_id = ${query.deviceId} and account_id = ${accountId})`)
  if (query.vehicleId !== undefined) conditions.push(sql`item.id = ${vehicleIdStatement(accountId, query.vehicleId)}`)
  if (query.fromTimestamp !== undefined) conditions.push(sql`item.modified >= ${query.fromTimestamp}::timestamptz`)
  if (query.toTimestamp !== undefined) conditions.push(sql`item.modified <= ${query.toTimestamp}::timestamptz`)
  const current = sql`
    select v.id, v.public_id, v.deleted, false as is_former, greatest(v.modified, l.modified) as modified
    from vehicles v
    cross join lateral (select max(own.modified) as modified from latest_values own where own.vehicle_id = v.id) l
    where v.account_id = ${accountId}`
  const former = sql`
    select vehicle_id, public_id, deleted, true, modified from former_vehicle_ids where account_id = ${accountId}`
  const all = query.filterTimestamp === undefined ? current : sql`${current} union all ${former}`
  return readSyncPage(
    connection,
    {
      name: 'vehicles',
      from: [sql`(${all}) item`],
      conditions,
      joins: sql`join vehicles v on v.id = item.id`,
      columns: sql`${FIELDS}, item.public_id, item.deleted, item.is_former, item.modified`,
      order: [{ field: 'public_id', column: sql`item.public_id`, kind: 'string' }],
    },
    query,
  )
}

/** The latest values of several vehicles, by vehicle and device. */
async function readLatestValues(connection: Connection, vehicleIds: readonly number[]): Promise<readonly LatestRow[]> {
  if (vehicleIds.length === 0) return []
  return connection.rows<LatestRow>(sql`
    select l.vehicle_id, ${LATEST_FIELDS} from latest_values l
    where l.vehicle_id = any(${vehicleIds}::bigint[]) order by l.vehicle_id, l.device_id`)
}

/** @param lastEventTypes all when undefined */
async function vehicleTexts(
  connection: Connection,
  rows: readonly VehicleRow[],
  hidden: HiddenEventTypes,
  lastEventTypes?: readonly string[],
): Promise<Iterable<string>> {
  const selection = selectLastEvents(lastEventTypes, hidden)
  const ids = rows.filter(row => !row.is_former).map(row => row.id)
  return vehiclesJson(rows, await readLatestValues(connection, ids), selection)
}

function* vehiclesJson(
  rows: readonly VehicleRow[],
  latest: readonly LatestRow[],
  selection: LastEventSelection,
): Generator<string> {
  const byVehicle = grouped(latest, row => row.vehicle_id)
  for (const row of rows) yield vehicleJson(row, byVehicle.get(row.id) ?? [], selection)
}

interface LastEventSelection {
  readonly accept: (type: EventTypeId) => boolean
  readonly templateOf: TemplateOf
}

/** @param names unknown ones match nothing, undefined means all @param hidden types without permission */
function selectLastEvents(names: readonly string[] | undefined, hidden: HiddenEventTypes): LastEventSelection {
  const wanted = names && new Set(names.map(name => eventTypeByName(name)?.id))
  const accept = (type: EventTypeId) => !hidden.has(type) && (!wanted || wanted.has(type))
  return { accept, templateOf: eventTemplates(camelFrame, accept) }
}

/** A former id only shows as deleted: later changes of the vehicle would make its modifyTimestamp wrong. */
function vehicleJson(row: VehicleRow, latest: readonly LatestRow[], selection: LastEventSelection): string {
  const fields = { id: row.public_id, ...(row.is_former ? NOTHING : describe(row)) }
  const lastEvents = row.is_former ? '[]' : lastEventsJson(row, latest, selection)
  const deleteTimestamp = row.deleted === null ? 'null' : `"${millisecondText(row.deleted)}"`
  return `${JSON.stringify(fields).slice(0, -1)},"lastEvents":${lastEvents},"modifyTimestamp":"${row.modified}","deleteTimestamp":${deleteTimestamp}}`
}

function describe(row: VehicleRow) {
  return {
    ...Object.fromEntries(Object.keys(NOTHING).map(name => [name, row[name as keyof typeof NOTHING]])),
    // Beyond the original document, so only where somebody set them.
    ...(row.color !== '' && { color: row.color }),
    ...(row.group !== '' && { group: row.group }),
  }
}

/** What clients see of a vehicle, in this order, without anything to see. */
const NOTHING = {
  vin: '',
  tecDocMakeId: 0,
  tecDocModelId: 0,
  tecDocVehicleId: 0,
  make: '',
  model: '',
  vehicle: '',
  fuelType: '',
  kba: '',
  licensePlate: '',
  deviceId: null as DeviceId | null,
  tripId: '',
}

const ALARM_SYSTEM = requiredEventType('ALARM_SYSTEM')
const ALARM_FRAME = camelFrame(ALARM_SYSTEM)

interface NewestEvent {
  readonly type: EventTypeId
  readonly timeMs: number
  readonly json: string
}

/** Of every type the newest among its devices, by type. The alarm system as set by an operator takes precedence. */
function lastEventsJson(
  vehicle: VehicleRow,
  rows: readonly LatestRow[],
  { accept, templateOf }: LastEventSelection,
): string {
  const newest = new Map<EventTypeId, NewestEvent>()
  for (const row of rows) for (const event of eventsOf(row, templateOf)) keepNewer(newest, event)
  const alarm = accept(ALARM_SYSTEM.id) ? alarmSystemEvent(vehicle) : undefined
  if (alarm) newest.set(ALARM_SYSTEM.id, alarm)
  // The events of one device are in order already.
  const ordered =
    rows.length === 1 && !alarm
      ? [...newest.values()]
      : [...newest.values()].sort((a, b) => compareNames(eventTypeById(a.type).name, eventTypeById(b.type).name))
  return `[${ordered.map(event => event.json).join(',')}]`
}

function keepNewer(newest: Map<EventTypeId, NewestEvent>, event: NewestEvent): void {
  const other = newest.get(event.type)
  if (!other || event.timeMs > other.timeMs) newest.set(event.type, event)
}

function* eventsOf(row: LatestRow, templateOf: TemplateOf): Generator<NewestEvent> {
  const ids = row.types.slice(1, -1).split(',')
  const times = row.times.slice(1, -1).split(',')
  const values = { numbers: row.numbers.slice(1, -1).split(','), texts: textItems(row.texts) }
  const timeOf = new Map(ids.map((id, index) => [Number(id), Number(times[index])]))
  for (const slot of templateOf(SampleLayout.ofText(row.types)).slots) {
    // A state that is only derived from the voltage has no time of its own here: latest values keep the newest one.
    const timeMs = timeOf.get(slot.type)
    if (timeMs === undefined) continue
    const json = valueJson(slot, values)
    if (json === undefined) continue
    const head = camelHead(row.latest_device, new Date(timeMs).toISOString())
    yield { type: slot.type, timeMs, json: head + slot.before + json + slot.after }
  }
}

function alarmSystemEvent({
  alarm_system,
  alarm_system_set,
  deviceId,
  first_device_id,
}: VehicleRow): NewestEvent | undefined {
  if (alarm_system === null || alarm_system_set === null) return undefined
  const time = millisecondText(alarm_system_set)
  const { before, after } = ALARM_FRAME
  const json = `${camelHead(deviceId ?? first_device_id, time)}${before}${alarm_system}${after}`
  return { type: ALARM_SYSTEM.id, timeMs: Date.parse(time), json }
}

export const vehicleChanges = changesOfList(
  'vehicles',
  listVehicles,
  async (rows, { hiddenTypes, lastEventTypes }, reads) => [
    ...(await vehicleTexts(reads, rows, hiddenTypes, lastEventTypes)),
  ],
)

/** Also for the stream, whose frames contain vehicles. */
export const lastEventTypesParameter = () =>
  textsParameter(
    'Only these event types in lastEvents, separated by commas; everything else stays as it is, the modifyTimestamp ' +
      'included. Unknown ones match nothing. Ask for what you show: lists get many times shorter (beyond the original ' +
      'document).',
    ['POSITION,GPS_SPEED'],
  )

const VehicleListQuery = Type.Object({
  deviceId: Type.Optional(deviceIdParameter('Only the vehicles that this device was in.')),
  ...syncListParameters('modifyTimestamp'),
  lastEventTypes: Type.Optional(lastEventTypesParameter()),
})
type VehicleListQuery = Static<typeof VehicleListQuery>

const VehiclePath = Type.Object({
  vehicleId: idParameter('Public id: `VIN` and the VIN, or `IMEI_` and the IMEI of its first device.', [
    'VINWVWZZZ1JZ3W386752',
  ]),
})

const VehicleQuery = Type.Object({
  deviceId: Type.Optional(deviceIdParameter('Only lastEvents of this device in this vehicle.')),
  filterTimestamp: Type.Optional(filterTimestampParameter()),
  lastEventTypes: Type.Optional(lastEventTypesParameter()),
})

/** The camelCase shape of an event (fleet-api-v2.md, *Vehicle*, lastEvents). */
export const LastEvent = Type.Object(
  {
    deviceId: deviceIdField,
    recordedTimestamp: instant('When it was measured.'),
    eventType: Type.String({ examples: ['MILEAGE'] }),
    dataType: Type.Enum(['STRING', 'BOOLEAN', 'NUMBER', 'GEO']),
    value: Type.Union([Type.Number(), Type.Boolean(), Type.String()], { examples: [48211.4] }),
    unit: Type.Optional(Type.String({ description: 'Only for NUMBER.', examples: ['km'] })),
    unitId: Type.Optional(Type.Integer({ description: 'Only for NUMBER.', examples: [111] })),
  },
  { title: 'LastEvent', description: 'The newest measurement of one event type.' },
)

const Vehicle = Type.Object(
  {
    id: Type.String({ examples: ['VINWVWZZZ1JZ3W386752'] }),
    vin: Type.String({ description: 'Empty while it is not known.' }),
    tecDocMakeId: Type.Integer(),
    tecDocModelId: Type.Integer(),
    tecDocVehicleId: Type.Integer(),
    make: Type.String(),
    model: Type.String(),
    vehicle: Type.String(),
    fuelType: Type.String(),
    kba: Type.String(),
    licensePlate: Type.String(),
    deviceId: nullable(deviceIdField),
    tripId: Type.String({ description: 'Empty when it is not driving.' }),
    color: Type.Optional(
      Type.String({
        description: 'As set by people, and only then (beyond the original document).',
        examples: ['white'],
      }),
    ),
    group: Type.Optional(
      Type.String({
        description: 'Which vehicles it belongs with, as set by people, and only then (beyond the original document).',
        examples: ['Munich depot'],
      }),
    ),
    lastEvents: Type.Array(LastEvent, { description: 'The newest event of every type, by event type.' }),
    modifyTimestamp: revision('When anything of it changed last.'),
    deleteTimestamp: nullable(instant('Set: it should not be displayed any more.')),
  },
  { title: 'Vehicle', description: 'A car with its latest values.' },
)

const VehicleList = syncList('vehicles', Vehicle, 'VehicleList')
