import { type EventTypeId, eventTypeById, eventTypeByName, requiredEventType } from '../../../catalogue/event-types.ts'
import type { HiddenEventTypes } from '../../../catalogue/permissions.ts'
import type { Connection } from '../../../db/sql.ts'
import { textItems } from '../../../db/values.ts'
import { SampleLayout } from '../../../model/sample.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import { camelFrame, camelHead, compareNames, eventTemplates, type TemplateOf, valueJson } from '../../event-json.ts'
import { changesOfList } from '../../lists.ts'
import { type LatestRow, listVehicles, readLatestValues, type VehicleRow } from './query.ts'

/**
 * Vehicles of a page as JSON, each with its latest values, which are read here.
 * @param lastEventTypes the types of its lastEvents; all when undefined
 */
export async function vehicleTexts(
  connection: Connection,
  rows: readonly VehicleRow[],
  hidden: HiddenEventTypes,
  lastEventTypes?: readonly string[],
): Promise<Iterable<string>> {
  const selection = selectLastEvents(lastEventTypes, hidden)
  const ids = rows.filter(row => !row.is_former).map(row => row.id)
  return rendered(rows, await readLatestValues(connection, ids), selection)
}

function* rendered(
  rows: readonly VehicleRow[],
  latest: readonly LatestRow[],
  selection: LastEventSelection,
): Generator<string> {
  const byVehicle = new Map<number, LatestRow[]>()
  for (const row of latest) {
    const known = byVehicle.get(row.vehicle_id)
    if (known) known.push(row)
    else byVehicle.set(row.vehicle_id, [row])
  }
  for (const row of rows) yield vehicleJson(row, byVehicle.get(row.id) ?? [], selection)
}

/** The latest values that vehicles show as `lastEvents`. */
interface LastEventSelection {
  readonly accept: (type: EventTypeId) => boolean
  /** The JSON of accepted events. */
  readonly templateOf: TemplateOf
}

/**
 * @param names from the request; names that are not in the catalogue match nothing, undefined means all
 * @param hidden types that the caller has no permission for
 */
export function selectLastEvents(names: readonly string[] | undefined, hidden: HiddenEventTypes): LastEventSelection {
  const wanted = names && new Set(names.map(name => eventTypeByName(name)?.id))
  const accept = (type: EventTypeId) => !hidden.has(type) && (!wanted || wanted.has(type))
  return { accept, templateOf: eventTemplates(camelFrame, accept) }
}

/**
 * A vehicle as clients get it. Under a former id, only the fact that it is deleted is shown. Later changes of
 * the vehicle are not shown there, so the modifyTimestamp stays right.
 */
export function vehicleJson(row: VehicleRow, latest: readonly LatestRow[], selection: LastEventSelection): string {
  const fields = { id: row.public_id, ...(row.is_former ? NOTHING : describe(row)) }
  const lastEvents = row.is_former ? '[]' : lastEventsJson(row, latest, selection)
  const deleteTimestamp = row.deleted === null ? 'null' : `"${millisecondText(row.deleted)}"`
  return `${JSON.stringify(fields).slice(0, -1)},"lastEvents":${lastEvents},"modifyTimestamp":"${row.modified}","deleteTimestamp":${deleteTimestamp}}`
}

function describe(row: VehicleRow) {
  return {
    vin: row.vin ?? '',
    tecDocMakeId: row.tecdoc_make_id,
    tecDocModelId: row.tecdoc_model_id,
    tecDocVehicleId: row.tecdoc_vehicle_id,
    make: row.make,
    model: row.model,
    vehicle: row.vehicle,
    fuelType: row.fuel_type,
    kba: row.kba,
    licensePlate: row.license_plate,
    deviceId: row.device_id,
    tripId: row.trip_id ?? '',
    // Beyond the original document, so only where somebody set them.
    ...(row.color !== '' && { color: row.color }),
    ...(row.car_group !== '' && { group: row.car_group }),
  }
}

const NOTHING: ReturnType<typeof describe> = {
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
  deviceId: null,
  tripId: '',
}

const ALARM_SYSTEM = requiredEventType('ALARM_SYSTEM')
const ALARM_FRAME = camelFrame(ALARM_SYSTEM)

interface LastEvent {
  readonly type: EventTypeId
  readonly timeMs: number
  readonly json: string
}

/**
 * The `lastEvents` of a vehicle as a JSON array: of every event type the newest among its devices, by event type.
 * The alarm system as set by an operator replaces what a dongle reports.
 */
function lastEventsJson(
  vehicle: VehicleRow,
  rows: readonly LatestRow[],
  { accept, templateOf }: LastEventSelection,
): string {
  const newest = new Map<EventTypeId, LastEvent>()
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

function keepNewer(newest: Map<EventTypeId, LastEvent>, event: LastEvent): void {
  const other = newest.get(event.type)
  if (!other || event.timeMs > other.timeMs) newest.set(event.type, event)
}

function* eventsOf(row: LatestRow, templateOf: TemplateOf): Generator<LastEvent> {
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
  device_id,
  first_device_id,
}: VehicleRow): LastEvent | undefined {
  if (alarm_system === null || alarm_system_set === null) return undefined
  const time = millisecondText(alarm_system_set)
  const { before, after } = ALARM_FRAME
  const json = `${camelHead(device_id ?? first_device_id, time)}${before}${alarm_system}${after}`
  return { type: ALARM_SYSTEM.id, timeMs: Date.parse(time), json }
}

/** Vehicles in the feed of changes. */
export const vehicleChanges = changesOfList(
  'vehicles',
  listVehicles,
  async (rows, { hiddenTypes, lastEventTypes }, reads) => [
    ...(await vehicleTexts(reads, rows, hiddenTypes, lastEventTypes)),
  ],
)
