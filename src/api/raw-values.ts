import { type EventType, type EventTypeId, eventTypeById } from '../catalogue/event-types.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE, batteryStateOf } from '../facts/latest-values/derive/battery-state.ts'
import type { EventFrame } from './event-json.ts'

/** One event of a sample: where its value stands in the arrays of a raw sample, and the JSON around it. */
export interface Slot extends EventFrame {
  readonly type: EventTypeId
  readonly name: string
  readonly kind: 'NUMBER' | 'BOOLEAN' | 'STRING' | 'GEO' | 'BATTERY_STATE'
  /** In `texts` for a STRING, in `numbers` for the others. */
  readonly index: number
}

/** What samples of the same types have in common. */
export interface Layout {
  /** By the name of their type. */
  readonly slots: readonly Slot[]
  /** A BATTERY_STATE is among them that follows from the voltage, and that not every voltage has. */
  readonly hasDerived: boolean
}

export type Layouts = (types: string) => Layout

/**
 * Makes layouts, each once for every set of types that occurs.
 * @param frameOf the JSON around a value
 * @param accept which types are shown
 */
export function createLayouts(
  frameOf: (type: EventType) => EventFrame,
  accept: (type: EventTypeId) => boolean = () => true,
): Layouts {
  const known = new Map<string, Layout>()
  return types => {
    let layout = known.get(types)
    if (!layout) {
      if (known.size === MOST_LAYOUTS) known.clear()
      layout = layoutOf(types, frameOf, accept)
      known.set(types, layout)
    }
    return layout
  }
}

/** Far more sets than a fleet has; whoever sends ever new ones must not fill the memory. */
const MOST_LAYOUTS = 10_000

function layoutOf(
  types: string,
  frameOf: (type: EventType) => EventFrame,
  accept: (type: EventTypeId) => boolean,
): Layout {
  const slots: Slot[] = []
  let nextNumber = 0
  let nextText = 0
  for (const id of types === '{}' ? [] : types.slice(1, -1).split(',')) {
    const type = eventTypeById(Number(id))
    const { dataType } = type
    slots.push(slotOf(type, dataType, dataType === 'STRING' ? nextText : nextNumber, frameOf))
    if (dataType === 'STRING') nextText++
    else nextNumber += dataType === 'GEO' ? 2 : 1
  }
  const voltage = slots.find(slot => slot.type === BATTERY_VOLTAGE.id)
  const hasDerived = voltage !== undefined && !slots.some(slot => slot.type === BATTERY_STATE.id)
  if (hasDerived) slots.push(slotOf(BATTERY_STATE, 'BATTERY_STATE', voltage.index, frameOf))
  return {
    slots: slots.filter(slot => accept(slot.type)).sort((a, b) => compareNames(a.name, b.name)),
    hasDerived: hasDerived && accept(BATTERY_STATE.id),
  }
}

function slotOf(type: EventType, kind: Slot['kind'], index: number, frameOf: (type: EventType) => EventFrame): Slot {
  const { before, after } = frameOf(type)
  return { type: type.id, name: type.name, kind, index, before, after }
}

/** Event type names in the order of lists. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The values of a sample; numbers may still be the texts in which PostgreSQL wrote them, which are JSON's. */
export interface RawValues {
  readonly numbers: readonly (number | string)[]
  readonly texts: readonly string[]
}

/** The JSON of the value in a slot; undefined where the battery has no state. */
export function valueJson({ kind, index }: Slot, { numbers, texts }: RawValues): string | undefined {
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

/**
 * Plain digits: a client that reads a point by its digits does not know the exponents of small numbers, which begin
 * sooner where PostgreSQL wrote them.
 */
function degrees(value: number | string | undefined): string {
  const text = String(value)
  if (!text.includes('e')) return text
  const [, sign = '', first = '', others = '', exponent = ''] = SMALL_NUMBER.exec(text) ?? []
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${others}`
}

const SMALL_NUMBER = /^(-?)(\d)\.?(\d*)e-(\d+)$/
