import type { EventTypeId } from '../../../catalogue/event-types.ts'
import type { DeviceId, Sample } from '../../../model/sample.ts'
import { type AvlRow, familyOf, rowsOf } from './avl-ids/index.ts'
import { GPS_BYTES, type GpsElement, readGps } from './gps-element.ts'
import { Layout, type RecordFormat } from './layout.ts'
import { endOfMarked } from './mark.ts'
import { type Place, type Plan, planOf, type Step } from './plan.ts'

/** The content of the records of one frame. */
interface Records {
  readonly samples: readonly Sample[]
  /** AVL ids without an event type, and the number of records with each of them. */
  readonly unknownIds: ReadonlyMap<number, number>
}

/** Time (8) and priority (1), before the GPS element. */
const TIME_BYTES = 8
const PRIORITY_BYTES = 1

/** Enough for all devices of a fleet; beyond it, all are built again. */
const MOST_PLANS = 2048

const NO_TEXTS: readonly string[] = []
const NO_IDS: ReadonlyMap<number, number> = new Map()

/**
 * Reads records of the devices of one family. Devices send the same elements over and over, so they are looked
 * up once for each set of elements and kept as a plan; the scratch fields avoid garbage.
 */
class RecordReader {
  readonly #rows: readonly AvlRow[]
  readonly #plans = new Map<number, Plan[]>()
  #planCount = 0
  /** The plan of the previous record, which usually fits the next one, too. */
  #latestPlan: Plan | undefined
  readonly #layout = new Layout()
  readonly #gps: GpsElement = { lon: 0.5, lat: 0.5, altitudeM: 0.5, courseDeg: 0.5, satellites: 0.5, speedKmh: 0.5 }
  /** Fractions, so that V8 makes these arrays of doubles from the start, which `slice` copies as they are. */
  readonly #numbers: number[] = Array.from({ length: 256 }, () => 0.5)
  readonly #types: EventTypeId[] = []
  readonly #raw: number[] = []

  constructor(rows: readonly AvlRow[]) {
    this.#rows = rows
  }

  /** @returns the samples of `count` records from `at` on; undefined unless they end exactly at `to`. */
  read(
    bytes: Buffer,
    at: number,
    to: number,
    count: number,
    format: RecordFormat,
    deviceId: DeviceId,
  ): Records | undefined {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let samples: Sample[] | undefined
    let unknownIds: Map<number, number> | undefined
    const elementsAfter = TIME_BYTES + PRIORITY_BYTES + GPS_BYTES + format.eventBytes
    let next = at
    for (let index = 0; index < count; index++) {
      const elements = next + elementsAfter
      let plan = this.#latestPlan
      let end = plan?.mark && plan.format === format ? endOfMarked(bytes, elements, to, plan.mark) : -1
      if (!plan || end < 0) {
        end = this.#layout.walk(view, elements, to, format)
        if (end < 0) return undefined
        plan = this.#plan(format)
        this.#latestPlan = plan
      }
      if (plan.unknownIds.length > 0) unknownIds = withIds(unknownIds, plan.unknownIds)
      readGps(view, next + TIME_BYTES + PRIORITY_BYTES, this.#gps)
      const timeMs = view.getUint32(next) * 2 ** 32 + view.getUint32(next + 4)
      const sample = this.#sample(bytes, view, elements, plan, deviceId, timeMs)
      if (sample.types.length > 0) samples = withOne(samples, sample)
      next = end
    }
    return next === to ? { samples: samples ?? [], unknownIds: unknownIds ?? NO_IDS } : undefined
  }

  #plan(format: RecordFormat): Plan {
    const layout = this.#layout
    const plans = this.#plans.get(layout.hash)
    for (const plan of plans ?? []) if (plan.format === format && isFor(plan, layout)) return plan
    const plan = planOf(this.#rows, layout, format)
    if (this.#planCount >= MOST_PLANS) {
      this.#plans.clear()
      this.#planCount = 0
    }
    this.#planCount++
    this.#plans.set(layout.hash, [...(this.#plans.get(layout.hash) ?? []), plan])
    return plan
  }

  #sample(bytes: Buffer, view: DataView, elements: number, plan: Plan, deviceId: DeviceId, timeMs: number): Sample {
    const numbers = this.#numbers
    let numberCount = 0
    let texts: string[] | undefined
    let typeCount = 0
    for (const step of plan.steps) {
      if (step.from === 'position') {
        if (Number.isNaN(this.#gps.lon)) continue
        numbers[numberCount++] = this.#gps.lon
        numbers[numberCount++] = this.#gps.lat
      } else if (step.from === 'text' || step.from === 'named' || step.from === 'combined') {
        const value = this.#value(bytes, view, elements, step)
        if (value === undefined) continue
        if (typeof value === 'string') texts = withOne(texts, value)
        else numbers[numberCount++] = value
      } else {
        const value = this.#number(view, elements, step)
        if (Number.isNaN(value)) continue
        numbers[numberCount++] = value
      }
      this.#types[typeCount++] = step.typeId
    }
    const types = typeCount === plan.types.length ? plan.types : this.#types.slice(0, typeCount)
    return { deviceId, timeMs, types, numbers: numbers.slice(0, numberCount), texts: texts ?? NO_TEXTS }
  }

  /** @returns NaN for "not available" */
  #number(view: DataView, elements: number, step: Step): number {
    switch (step.from) {
      case 'number': {
        const raw = rawAt(view, elements, step.place)
        return raw >= step.least && raw <= step.most ? raw / step.perUnit : Number.NaN
      }
      case 'state':
        return step.states[rawAt(view, elements, step.place)] ?? Number.NaN
      case 'altitude':
        return this.#gps.altitudeM
      case 'course':
        return this.#gps.courseDeg
      case 'satellites':
        return this.#gps.satellites
      default:
        return this.#gps.speedKmh
    }
  }

  #value(bytes: Buffer, view: DataView, elements: number, step: Step): string | number | undefined {
    if (step.from === 'named') return step.names[rawAt(view, elements, step.place)] || undefined
    if (step.from === 'text') {
      const { variableStarts, variableEnds } = this.#layout
      const text = bytes.toString('latin1', variableStarts[step.place.at], variableEnds[step.place.at])
      return step.pattern.test(text) ? text : undefined
    }
    const { places, combine } = step
    for (let index = 0; index < places.length; index++) {
      const place = places[index]
      this.#raw[index] = place && place.bytes > 0 ? rawAt(view, elements, place) : Number.NaN
    }
    return combine(this.#raw)
  }
}

function isFor({ ids }: Plan, layout: Layout): boolean {
  if (ids.length !== layout.idsLength) return false
  for (let index = 0; index < ids.length; index++) if (ids[index] !== layout.ids[index]) return false
  return true
}

/** The raw value of an element; only 8-byte values can be too large to be exact. */
function rawAt(view: DataView, elements: number, { at, bytes, isSigned }: Place): number {
  const start = elements + at
  switch (bytes) {
    case 1:
      return isSigned ? view.getInt8(start) : view.getUint8(start)
    case 2:
      return isSigned ? view.getInt16(start) : view.getUint16(start)
    case 4:
      return isSigned ? view.getInt32(start) : view.getUint32(start)
    default:
      return (isSigned ? view.getInt32(start) : view.getUint32(start)) * 2 ** 32 + view.getUint32(start + 4)
  }
}

/** Adds to an array that starts with one element: an empty one would allocate room for 17 at the first push. */
function withOne<T>(items: T[] | undefined, item: T): T[] {
  if (!items) return [item]
  items.push(item)
  return items
}

function withIds(counts: Map<number, number> | undefined, ids: readonly number[]): Map<number, number> {
  const all = counts ?? new Map<number, number>()
  for (const id of ids) all.set(id, (all.get(id) ?? 0) + 1)
  return all
}

const READERS = {
  dongle: new RecordReader(rowsOf('dongle')),
  tracker: new RecordReader(rowsOf('tracker')),
  professional: new RecordReader(rowsOf('professional')),
} as const

/**
 * Reads the records of a frame.
 * @param at start of the first one @param to end of the last one
 * @param hardwareType the model of the device; empty when it is not known
 * @returns undefined unless the records fill exactly this range
 */
export function readRecords(
  bytes: Buffer,
  at: number,
  to: number,
  count: number,
  format: RecordFormat,
  { deviceId, hardwareType }: { readonly deviceId: DeviceId; readonly hardwareType: string },
): Records | undefined {
  return READERS[familyOf(hardwareType)].read(bytes, at, to, count, format, deviceId)
}
