import { type EventType, type EventTypeId, eventTypeById } from '../catalogue/event-types.ts'

/** How many layouts were made. */
let made = 0

/** The index of an event type's value in the arrays of a sample: for a STRING in `texts`, else in `numbers`. */
export interface Slot {
  readonly type: EventType
  readonly index: number
}

/** How many numbers a value of this type takes: longitude and latitude for a GEO, none for a STRING, else one. */
export function numbersPerValue({ dataType }: EventType): 0 | 1 | 2 {
  if (dataType === 'STRING') return 0
  return dataType === 'GEO' ? 2 : 1
}

/**
 * The event types of a sample, and the positions of their values in its arrays. With the types POSITION (98, two numbers),
 * VEHICLE_SPEED_MAX (113) and VIN (115, a text):
 *
 *     types      98          113     115
 *     numbers    lon   lat   km/h
 *     texts                          VIN
 *     index      0           2       0
 */
export class SampleLayout {
  /** Ascending. */
  readonly types: readonly EventTypeId[]
  /** In the order of `types`. */
  readonly slots: readonly Slot[]
  readonly numberCount: number
  readonly textCount: number
  /** The types as PostgreSQL writes them: `{98,113,115}`. */
  readonly text: string
  /** Tells layouts apart, where one is looked up among a few. */
  readonly number = made++
  readonly #indexes = new Map<EventTypeId, number>()

  private constructor(types: readonly EventTypeId[]) {
    const counts = { numbers: 0, texts: 0 }
    this.types = types
    this.slots = types.map(id => {
      const type = eventTypeById(id)
      const width = numbersPerValue(type)
      const index = width === 0 ? counts.texts++ : counts.numbers
      counts.numbers += width
      this.#indexes.set(id, index)
      return { type, index }
    })
    this.numberCount = counts.numbers
    this.textCount = counts.texts
    this.text = `{${types.join(',')}}`
  }

  /**
   * The layout of samples of these types; mostly the same object as for an earlier call.
   * @param types ascending
   */
  static of(types: readonly EventTypeId[]): SampleLayout {
    const place = placeOf(types.length + (types[types.length - 1] ?? 0))
    const recent = recentLayouts[place]
    if (recent && haveSameTypes(recent.types, types)) return recent
    return (recentLayouts[place] = SampleLayout.#ofOthers(types))
  }

  static #ofOthers(types: readonly EventTypeId[]): SampleLayout {
    let hash = types.length
    for (const type of types) hash = (Math.imul(hash, 131) + type) | 0
    const known = byHash.get(hash)
    if (known && haveSameTypes(known.types, types)) return known
    return remember(byHash, hash, new SampleLayout(types))
  }

  /** The same for types as PostgreSQL writes them. */
  static ofText(text: string): SampleLayout {
    const known = byText.get(text)
    if (known) return known
    const ids = text === '{}' ? [] : text.slice(1, -1).split(',')
    return remember(byText, text, SampleLayout.of(ids.map(id => eventTypeById(Number(id)).id)))
  }

  /** Index of the value of a type in `texts` or `numbers`; -1 when samples of this layout have none. */
  indexOf(type: EventType): number {
    return this.#indexes.get(type.id) ?? -1
  }
}

/** Dongles send the same few sets of types over and over; a fleet has some hundred of them. */
const byHash = new Map<number, SampleLayout>()
const byText = new Map<string, SampleLayout>()
/** A dongle sends a few layouts in turns, so each has a place of its own among the last ones. */
const RECENT = 16
const placeOf = (number: number): number => number % RECENT
const recentLayouts = Array.from<SampleLayout | undefined>({ length: RECENT })

/** A sender of ever new sets of types must not fill the memory. */
const MOST_REMEMBERED = 10_000

function remember<Key>(known: Map<Key, SampleLayout>, key: Key, layout: SampleLayout): SampleLayout {
  if (known.size >= MOST_REMEMBERED) known.clear()
  known.set(key, layout)
  return layout
}

/** @param a ascending, as is `b` */
export function haveSameTypes(a: readonly EventTypeId[], b: readonly EventTypeId[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}

/** Caches what follows from a layout. */
export function perLayout<Value extends object>(
  make: (layout: SampleLayout) => Value,
): (layout: SampleLayout) => Value {
  const all = new WeakMap<SampleLayout, Value>()
  const layouts = Array.from<SampleLayout | undefined>({ length: RECENT })
  const values = Array.from<Value | undefined>({ length: RECENT })
  return layout => {
    const place = placeOf(layout.number)
    const recent = values[place]
    if (layouts[place] === layout && recent) return recent
    let value = all.get(layout)
    if (!value) {
      value = make(layout)
      all.set(layout, value)
    }
    layouts[place] = layout
    values[place] = value
    return value
  }
}

/** Whether a sample, or its layout, has any of these types. */
export function holdsAny({ types }: Pick<SampleLayout, 'types'>, wanted: readonly EventTypeId[]): boolean {
  return types.some(type => wanted.includes(type))
}
