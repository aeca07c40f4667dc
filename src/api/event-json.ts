import type { EventType } from '../catalogue/event-types.ts'

/**
 * The constant parts of an event's JSON around its value, for one event type: rendering a long list is joining texts
 * (design, decision 14).
 */
export interface EventFrame {
  readonly before: string
  readonly after: string
}

/** `{"event_type": …, "data_type": …, "value": V, "unit": …, "unit_id": …`; `snakeTail` completes it (GET /events). */
export function snakeFrame({ name, dataType, unit, unitId }: EventType): EventFrame {
  return {
    before: `{"event_type":"${name}","data_type":"${dataType}","value":`,
    after: dataType === 'NUMBER' ? `,"unit":${JSON.stringify(unit)},"unit_id":${unitId}` : '',
  }
}

/**
 * The common end of all events of a sample in `snake_case`. @param time `YYYY-MM-DDTHH:MM:SS.mmmZ`
 * Joined, because V8 keeps a concatenation as a tree, and this text is part of every event of a long list.
 */
export function snakeTail(deviceId: number, time: string): string {
  return [',"device_id":', deviceId, ',"recorded_timestamp":"', time, '"}'].join('')
}

/** The start of an event in camelCase; its frame completes it. @param time `YYYY-MM-DDTHH:MM:SS.mmmZ` */
export function camelHead(deviceId: number, time: string): string {
  return `{"deviceId":${deviceId},"recordedTimestamp":"${time}"`
}

/** The camelCase shape of `lastEvents`, after its head. */
export function camelFrame({ name, dataType, unit, unitId }: EventType): EventFrame {
  return {
    before: `,"eventType":"${name}","dataType":"${dataType}","value":`,
    after: dataType === 'NUMBER' ? `,"unit":${JSON.stringify(unit)},"unitId":${unitId}}` : '}',
  }
}
