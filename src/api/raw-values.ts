import { type EventTypeId, eventTypeById } from '../catalogue/event-types.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE, batteryStateOf } from '../derive/battery-state.ts'

/** Where the JSON value of one event stands in the arrays of a raw sample. */
export interface Slot {
  readonly type: EventTypeId
  readonly kind: 'NUMBER' | 'BOOLEAN' | 'STRING' | 'GEO' | 'BATTERY_STATE'
  /** In `texts` for a STRING, in `numbers` for the others. */
  readonly index: number
}

/** What samples of the same types have in common; slots are ordered by the name of their type. */
export type Layout = readonly Slot[]

/** Makes layouts, each once for every set of types that occurs; only of types that `accept` lets pass. */
export function createLayouts(accept: (type: EventTypeId) => boolean): (types: string) => Layout {
  const known = new Map<string, Layout>()
  return types => {
    const layout = known.get(types) ?? layoutOf(types, accept)
    known.set(types, layout)
    return layout
  }
}

function layoutOf(types: string, accept: (type: EventTypeId) => boolean): Layout {
  const ids = (types === '{}' ? [] : types.slice(1, -1).split(',')).map(id => eventTypeById(Number(id)))
  const slots: Slot[] = []
  let nextNumber = 0
  let nextText = 0
  for (const { id, dataType } of ids) {
    if (dataType === 'STRING') slots.push({ type: id, kind: dataType, index: nextText++ })
    else {
      slots.push({ type: id, kind: dataType, index: nextNumber })
      nextNumber += dataType === 'GEO' ? 2 : 1
    }
  }
  const voltage = slots.find(slot => slot.type === BATTERY_VOLTAGE.id)
  if (voltage && !slots.some(slot => slot.type === BATTERY_STATE.id))
    slots.push({ type: BATTERY_STATE.id, kind: 'BATTERY_STATE', index: voltage.index })
  return slots
    .filter(slot => accept(slot.type))
    .sort((a, b) => compareNames(eventTypeById(a.type).name, eventTypeById(b.type).name))
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

/** Plain digits: a client that reads a point by its digits does not know the exponents of small numbers. */
function degrees(value: number | string | undefined): string {
  const text = String(Number(value))
  return text.includes('e')
    ? Number(value)
        .toFixed(DEGREE_DIGITS)
        .replace(/\.?0+$/, '')
    : text
}

/** A millionth of a degree, below which exponents begin, still has all 17 digits of a double. */
const DEGREE_DIGITS = 24
