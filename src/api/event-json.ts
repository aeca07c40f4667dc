import { EVENT_TYPES, type EventTypeId, eventTypeById } from '../catalogue/event-types.ts'

/**
 * The constant parts of an event's JSON around its value, for each event type: rendering a long list is joining texts
 * (design, decision 14).
 */
interface Frame {
  readonly before: string
  readonly after: string
}

/** `{"event_type": …, "data_type": …, "value": V, "unit": …, "unit_id": …`, then device and time (GET /events). */
const SNAKE_FRAMES = frames(({ name, dataType, unit, unitId }) => ({
  before: `{"event_type":"${name}","data_type":"${dataType}","value":`,
  after: dataType === 'NUMBER' ? `,"unit":${JSON.stringify(unit)},"unit_id":${unitId},"device_id":` : ',"device_id":',
}))

/** The camelCase shape of `lastEvents`, after device and time. */
const CAMEL_FRAMES = frames(({ name, dataType, unit, unitId }) => ({
  before: `,"eventType":"${name}","dataType":"${dataType}","value":`,
  after: dataType === 'NUMBER' ? `,"unit":${JSON.stringify(unit)},"unitId":${unitId}}` : '}',
}))

function frames(render: (type: (typeof EVENT_TYPES)[number]) => Frame): readonly Frame[] {
  const table: Frame[] = []
  for (const type of EVENT_TYPES) table[type.id] = render(type)
  return table
}

function frameOf(table: readonly Frame[], type: EventTypeId): Frame {
  const frame = table[type]
  if (!frame) throw new Error(`no event type with id ${eventTypeById(type).id}`)
  return frame
}

/** @param value JSON, @param time `YYYY-MM-DDTHH:MM:SS.mmmZ` */
export function snakeEvent(type: EventTypeId, value: string, deviceId: string, time: string): string {
  const { before, after } = frameOf(SNAKE_FRAMES, type)
  return `${before}${value}${after}${deviceId},"recorded_timestamp":"${time}"}`
}

/** @param value JSON, @param time `YYYY-MM-DDTHH:MM:SS.mmmZ` */
export function camelEvent(type: EventTypeId, value: string, deviceId: string, time: string): string {
  const { before, after } = frameOf(CAMEL_FRAMES, type)
  return `{"deviceId":${deviceId},"recordedTimestamp":"${time}"${before}${value}${after}`
}
