import type { DataType, EventType, EventTypeId } from '../catalogue/event-types.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE, batteryStateOf } from '../derive/latest-values/battery-state.ts'
import { perLayout, type SampleLayout } from '../model/sample.ts'

/** The constant JSON around a value: rendering a long list is joining texts (design, decision 14). */
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

/** @param time `YYYY-MM-DDTHH:MM:SS.mmmZ` */
export function snakeTail(deviceId: number, time: string): string {
  return `,"device_id":${deviceId},"recorded_timestamp":"${time}"}`
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

export interface EventSlot extends EventFrame {
  readonly type: EventTypeId
  readonly name: string
  readonly kind: DataType | 'BATTERY_STATE'
  /** Index in `texts` for a STRING, in `numbers` for the others. */
  readonly index: number
}

export interface EventTemplate {
  /** By the name of the type. */
  readonly slots: readonly EventSlot[]
  /** Where one of them is a BATTERY_STATE derived from the voltage: not every voltage has one, so the slots without it, too. */
  readonly derived: { readonly voltageAt: number; readonly slotsWithout: readonly EventSlot[] } | undefined
}

export type TemplateOf = (layout: SampleLayout) => EventTemplate

export function eventTemplates(
  frameOf: (type: EventType) => EventFrame,
  accept: (type: EventTypeId) => boolean = () => true,
): TemplateOf {
  return perLayout(layout => {
    const slots = layout.slots.map(({ type, index }) => slotOf(type, type.dataType, index, frameOf))
    const voltageAt = layout.indexOf(BATTERY_VOLTAGE)
    const hasDerived = voltageAt >= 0 && layout.indexOf(BATTERY_STATE) < 0
    if (hasDerived) slots.push(slotOf(BATTERY_STATE, 'BATTERY_STATE', voltageAt, frameOf))
    const shown = slots.filter(slot => accept(slot.type)).sort((a, b) => compareNames(a.name, b.name))
    const slotsWithout = shown.filter(({ kind }) => kind !== 'BATTERY_STATE')
    return { slots: shown, derived: slotsWithout.length < shown.length ? { voltageAt, slotsWithout } : undefined }
  })
}

function slotOf(
  type: EventType,
  kind: EventSlot['kind'],
  index: number,
  frameOf: (type: EventType) => EventFrame,
): EventSlot {
  const { before, after } = frameOf(type)
  return { type: type.id, name: type.name, kind, index, before, after }
}

/** Event type names in the order of lists. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The values of a sample; numbers may still be the texts that PostgreSQL sent, which are valid JSON. */
export interface RawValues {
  readonly numbers: ArrayLike<number | string>
  readonly texts: readonly string[]
}

/** The JSON of the value in a slot; undefined where the voltage gives no battery state. */
export function valueJson({ kind, index }: EventSlot, { numbers, texts }: RawValues): string | undefined {
  switch (kind) {
    case 'NUMBER':
      return String(numbers[index])
    case 'BOOLEAN':
      return Number(numbers[index]) === 1 ? 'true' : 'false'
    case 'STRING':
      return JSON.stringify(texts[index])
    case 'GEO':
      return `"POINT(${degrees(numbers[index])} ${degrees(numbers[index + 1])})"`
    case 'BATTERY_STATE': {
      const state = batteryStateOf(Number(numbers[index]))
      return state === undefined ? undefined : `"${state}"`
    }
  }
}

/** Plain digits: some clients do not expect exponents, which PostgreSQL uses sooner than JSON. */
function degrees(value: number | string | undefined): string {
  const text = String(value)
  if (!text.includes('e')) return text
  const [, sign = '', first = '', others = '', exponent = ''] = SMALL_NUMBER.exec(text) ?? []
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${others}`
}

const SMALL_NUMBER = /^(-?)(\d)\.?(\d*)e-(\d+)$/
