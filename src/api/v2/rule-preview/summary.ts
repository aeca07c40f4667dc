import type { RuleDraft } from '../../../fleet/rules/read-rule.ts'
import { DAY_MS } from '../../../model/time-range.ts'
import { peakUnitOf } from '../incidents/incidents.ts'
import type { FoundIncident } from './folding-threads.ts'
import type { PreviewProgress } from './preview.ts'

/** More incidents than anybody looks through before saving a rule; all of them are counted. */
const MOST_FIRST = 100

export class PreviewSummary {
  readonly #maySeePositions: boolean
  readonly #unit: string
  /** By the start of the day (of UTC) of their start, and by the public id of the vehicle. */
  readonly #byDay = new Map<number, number>()
  readonly #byVehicle = new Map<string, number>()
  #first: readonly FoundIncident[] = []
  #progress = { devices: 0, devicesDone: 0, samples: 0, count: 0 }

  constructor({ kind, parameters }: RuleDraft, maySeePositions: boolean) {
    this.#maySeePositions = maySeePositions
    this.#unit = peakUnitOf(kind, parameters)
  }

  add({ devices, devicesDone, samples, found }: PreviewProgress): void {
    this.#progress = { devices, devicesDone, samples, count: this.#progress.count + found.length }
    for (const { publicId, item } of found) {
      countOne(this.#byDay, Math.floor(item.startMs / DAY_MS) * DAY_MS)
      countOne(this.#byVehicle, publicId)
    }
    if (found.length > 0)
      this.#first = [...this.#first, ...found].sort((a, b) => a.item.startMs - b.item.startMs).slice(0, MOST_FIRST)
  }

  progress(): object {
    return this.#progress
  }

  result(): object {
    return {
      ...this.#progress,
      byDay: [...this.#byDay]
        .toSorted(([a], [b]) => a - b)
        .map(([dayMs, count]) => ({ day: new Date(dayMs).toISOString().slice(0, 10), count })),
      byVehicle: [...this.#byVehicle]
        .toSorted(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1))
        .map(([vehicleId, count]) => ({ vehicleId, count })),
      incidents: this.#first.map(found => this.#shown(found)),
    }
  }

  #shown({ publicId, deviceId, item }: FoundIncident): object {
    const place = (lon: number | null, lat: number | null) =>
      this.#maySeePositions && lon !== null && lat !== null ? { lat, lon } : null
    const instant = (timeMs: number | null) => (timeMs === null ? null : new Date(timeMs).toISOString())
    return {
      vehicleId: publicId,
      deviceId,
      areaId: item.areaId === null ? null : String(item.areaId),
      detail: item.detail,
      startTimestamp: instant(item.startMs),
      endTimestamp: instant(item.endMs),
      peak: item.peak === null ? null : { value: item.peak, unit: this.#unit, timestamp: instant(item.peakMs) },
      startPosition: place(item.startLongitude, item.startLatitude),
      endPosition: place(item.endLongitude, item.endLatitude),
    }
  }
}

function countOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
