import { type EventTypeId, eventTypeById } from '../catalogue/event-types.ts'
import { BATTERY_STATE, BATTERY_VOLTAGE, batteryStateOf } from '../derive/battery-state.ts'
import { textItems } from '../store/values.ts'

/** Where the JSON value of one event stands in the arrays of a raw sample. */
interface Slot {
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

/** The arrays of a sample, split and not parsed. */
export interface RawValues {
  readonly numbers: readonly string[]
  readonly texts: readonly string[]
}

export function rawValuesOf(numbers: string | null, texts: string | null): RawValues {
  return {
    numbers: numbers === null || numbers === '{}' ? [] : numbers.slice(1, -1).split(','),
    texts: texts === null ? [] : textItems(texts),
  }
}

/** The JSON of the value in a slot; undefined where the battery has no state. PostgreSQL's numbers are JSON's. */
export function valueJson({ kind, index }: Slot, { numbers, texts }: RawValues): string | undefined {
  switch (kind) {
    case 'NUMBER':
      return numbers[index]
    case 'BOOLEAN':
      return numbers[index] === '1' ? 'true' : 'false'
    case 'STRING':
      return JSON.stringify(texts[index])
    case 'GEO':
      return `"POINT(${numbers[index]} ${numbers[index + 1]})"`
    case 'BATTERY_STATE': {
      const state = batteryStateOf(Number(numbers[index]))
      return state === undefined ? undefined : `"${state}"`
    }
  }
}
