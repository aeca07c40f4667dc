import { type EventTypeId, requiredEventType } from '../../../catalogue/event-types.ts'
import { type AvlRow, type CombinedRow, type Element, REPEATING_IDS } from './avl-ids/index.ts'
import { GPS_TYPES } from './gps-element.ts'
import { FIXED_SIZES, type Layout, type RecordFormat } from './layout.ts'
import { type Mark, markOf } from './mark.ts'

/** How one event of a record is read. All steps have the same fields in the same order, so that reading them is fast. */
export interface Step {
  readonly typeId: EventTypeId
  readonly from: 'number' | 'state' | 'named' | 'text' | 'combined' | keyof typeof GPS_TYPES
  readonly place: Place
  readonly least: number
  readonly most: number
  readonly perUnit: number
  /** The number for each raw value of a state; NaN for "not available", also for higher values. */
  readonly states: readonly number[]
  readonly names: readonly string[]
  readonly pattern: RegExp
  /** The places of the elements of a combined event, in the order of its row. */
  readonly places: readonly Place[]
  readonly combine: CombinedRow['valueOf']
}

/** The offset of an element's value from the count of all elements; `bytes` is 0 for a missing one. */
export interface Place {
  readonly at: number
  readonly bytes: number
  readonly isSigned: boolean
}

/** How records with the same elements in the same order are read. */
export interface Plan {
  /** The layout it was built for. */
  readonly format: RecordFormat
  readonly ids: Uint16Array
  /** Recognises records of this layout; undefined when elements have a variable length. */
  readonly mark: Mark | undefined
  /** In the order of their types. */
  readonly steps: readonly Step[]
  /** The types of all steps: those of a record without missing values. */
  readonly types: readonly EventTypeId[]
  /** AVL ids without an event type. */
  readonly unknownIds: readonly number[]
}

const NOWHERE: Place = { at: 0, bytes: 0, isSigned: false }

const GPS_STEPS: readonly Step[] = (Object.keys(GPS_TYPES) as (keyof typeof GPS_TYPES)[]).map(from =>
  stepFrom(from, GPS_TYPES[from], {}),
)

/** @param fields those that count for a step of this kind */
function stepFrom(from: Step['from'], typeId: EventTypeId, fields: Partial<Step>): Step {
  return {
    typeId,
    from,
    place: fields.place ?? NOWHERE,
    least: fields.least ?? 0,
    most: fields.most ?? 0,
    perUnit: fields.perUnit ?? 1,
    states: fields.states ?? [],
    names: fields.names ?? [],
    pattern: fields.pattern ?? /^/,
    places: fields.places ?? [],
    combine: fields.combine ?? (() => undefined),
  }
}

/** The elements of a record: the places of fixed ones by id, and the indexes of those of variable length. */
interface Present {
  readonly fixed: ReadonlyMap<number, Omit<Place, 'isSigned'>>
  readonly variable: ReadonlyMap<number, number>
}

/** @param rows what the ids mean for the device that sent it; the first row of an event type that the record has counts */
export function planOf(rows: readonly AvlRow[], layout: Layout, format: RecordFormat): Plan {
  const present = presentIn(layout, format)
  const steps = [...GPS_STEPS]
  const known = new Set<number>(REPEATING_IDS)
  for (const row of rows) {
    const step = stepOf(row, present)
    for (const id of idsRead(row, present, step)) known.add(id)
    if (step && steps.every(({ typeId }) => typeId !== step.typeId)) steps.push(step)
  }
  steps.sort((a, b) => a.typeId - b.typeId)
  return {
    format,
    ids: layout.ids.slice(0, layout.idsLength),
    mark: layout.variableCount === 0 ? markOf(layout, format) : undefined,
    steps,
    types: steps.map(({ typeId }) => typeId),
    unknownIds: [...present.fixed.keys(), ...present.variable.keys()].filter(id => !known.has(id)),
  }
}

function presentIn(layout: Layout, { idBytes, countBytes, hasVariable }: RecordFormat): Present {
  const fixed = new Map<number, Omit<Place, 'isSigned'>>()
  const variable = new Map<number, number>()
  let word = 0
  let at = countBytes
  for (const bytes of FIXED_SIZES) {
    at += countBytes
    for (let left = layout.ids[word++] ?? 0; left > 0; left--) {
      const id = layout.ids[word++] ?? 0
      fixed.set(id, { at: at + idBytes, bytes })
      at += idBytes + bytes
    }
  }
  const count = hasVariable ? (layout.ids[word++] ?? 0) : 0
  for (let index = 0; index < count; index++) {
    const id = layout.ids[word++] ?? 0
    variable.set(id, index)
  }
  return { fixed, variable }
}

/** How the row is read; undefined when the record lacks its elements. */
function stepOf(row: AvlRow, present: Present): Step | undefined {
  const typeId = requiredEventType(row.eventType).id
  if (row.kind === 'text') {
    const index = present.variable.get(row.id)
    const place = { at: index ?? 0, bytes: 0, isSigned: false }
    return index === undefined ? undefined : stepFrom('text', typeId, { place, pattern: row.pattern })
  }
  if (row.kind === 'combined') {
    const places = row.elements.flatMap(element => placeOf(element, present) ?? [])
    const optional = row.optional.map(element => placeOf(element, present) ?? NOWHERE)
    if (places.length < row.elements.length) return undefined
    return stepFrom('combined', typeId, { places: [...places, ...optional], combine: row.valueOf })
  }
  const place = placeOf(row.element, present)
  if (!place) return undefined
  if (row.kind === 'named') return stepFrom('named', typeId, { place, names: row.names })
  if (row.kind === 'state') return stepFrom('state', typeId, { place, states: statesOf(row.states) })
  const { least, most, perUnit } = row
  return stepFrom('number', typeId, { place, least, most, perUnit })
}

/** The ids of a record that this row knows, even when other elements of the event are missing. */
function idsRead(row: AvlRow, present: Present, step: Step | undefined): number[] {
  if (row.kind === 'text') return step ? [row.id] : []
  if (row.kind !== 'combined') return step ? [row.element.id] : []
  const elements = step ? [...row.elements, ...row.optional] : row.elements
  return elements.filter(element => placeOf(element, present)).map(({ id }) => id)
}

function placeOf({ id, bytes, isSigned }: Element, present: Present): Place | undefined {
  const place = present.fixed.get(id)
  return place && bytes.includes(place.bytes) ? { at: place.at, bytes: place.bytes, isSigned } : undefined
}

function statesOf(states: Readonly<Record<number, boolean>>): number[] {
  return Array.from({ length: Math.max(...Object.keys(states).map(Number)) + 1 }, (_, raw) => {
    const state = states[raw]
    return state === undefined ? Number.NaN : Number(state)
  })
}
