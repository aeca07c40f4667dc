import { type EventTypeId, eventTypeById, requiredEventType } from '../../../catalogue/event-types.ts'
import { textItems } from '../../../db/values.ts'
import { SampleLayout } from '../../../model/sample.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import { camelFrame, camelHead } from '../../event-json.ts'
import { compareNames, type TemplateOf, valueJson } from '../../raw-values.ts'
import type { LatestRow, VehicleRow } from './query.ts'
import type { LastEventSelection } from './selection.ts'

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
export function lastEventsJson(
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
    // The row does not have this selected type: its time is NULL.
    if (timeMs === undefined || Number.isNaN(timeMs)) continue
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
