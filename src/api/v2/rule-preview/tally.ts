import type { IncidentItem } from '../../../derive/incidents/derive/finding.ts'
import type { DeviceId } from '../../../model/sample.ts'

const DAY_MS = 86_400_000
/** More incidents than anybody looks through before saving a rule; all of them are counted. */
const MOST_FIRST = 100

/** An incident that a rule would have found, with the car that it would belong to. */
export interface FoundIncident {
  readonly publicId: string
  readonly deviceId: DeviceId
  readonly item: IncidentItem
}

/** Incidents as a preview tells of them: how many there were, and the first ones. */
export interface Tally {
  readonly count: number
  /** By the start of the day (of UTC) of their start. */
  readonly byDay: readonly (readonly [dayMs: number, count: number])[]
  /** By the public id of the vehicle. */
  readonly byVehicle: readonly (readonly [publicId: string, count: number])[]
  /** Those that may be among the first of all. */
  readonly first: readonly FoundIncident[]
}

/** Tells which incidents are among the first of those that it has seen. */
class FirstStarts {
  /** Ascending. */
  readonly #startsMs: number[] = []

  take(startMs: number): boolean {
    const starts = this.#startsMs
    if (starts.length === MOST_FIRST && startMs >= (starts.at(-1) ?? Number.NEGATIVE_INFINITY)) return false
    const place = starts.findLastIndex(known => known <= startMs) + 1
    starts.splice(place, 0, startMs)
    if (starts.length > MOST_FIRST) starts.pop()
    return true
  }
}

/** Counts incidents where they are found: to hand each of them on takes longer than to find it. */
export class Tallying {
  readonly #first = new FirstStarts()

  /** Of some more of them. */
  tally(found: readonly FoundIncident[]): Tally {
    const byDay = new Map<number, number>()
    const byVehicle = new Map<string, number>()
    for (const { publicId, item } of found) {
      addTo(byDay, Math.floor(item.startMs / DAY_MS) * DAY_MS, 1)
      addTo(byVehicle, publicId, 1)
    }
    return {
      count: found.length,
      byDay: [...byDay],
      byVehicle: [...byVehicle],
      first: found.filter(({ item }) => this.#first.take(item.startMs)),
    }
  }
}

/** The sum of tallies. */
export class Tallied {
  readonly #byDay = new Map<number, number>()
  readonly #byVehicle = new Map<string, number>()
  #first: readonly FoundIncident[] = []
  #count = 0

  add({ count, byDay, byVehicle, first }: Tally): void {
    this.#count += count
    for (const [dayMs, ofDay] of byDay) addTo(this.#byDay, dayMs, ofDay)
    for (const [publicId, ofVehicle] of byVehicle) addTo(this.#byVehicle, publicId, ofVehicle)
    if (first.length > 0)
      this.#first = [...this.#first, ...first].sort((a, b) => a.item.startMs - b.item.startMs).slice(0, MOST_FIRST)
  }

  get count(): number {
    return this.#count
  }

  sum(): Tally {
    return { count: this.#count, byDay: [...this.#byDay], byVehicle: [...this.#byVehicle], first: this.#first }
  }
}

function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}
