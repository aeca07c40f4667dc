import type { RuleWish } from '../../../fleet/rules/wish.ts'
import { peakUnitOf } from '../incidents/peak-unit.ts'
import type { FoundIncident, PreviewProgress } from './preview.ts'

/** More incidents than anybody looks through before saving a rule; all of them are counted. */
const MOST_INCIDENTS = 100

/** Counts what a preview finds, and keeps the first incidents. */
export class PreviewSummary {
  readonly #maySeePositions: boolean
  readonly #unit: string
  readonly #byDay = new Map<string, number>()
  readonly #byVehicle = new Map<string, number>()
  #first: FoundIncident[] = []
  #count = 0
  #progress: PreviewProgress = { devices: 0, devicesDone: 0, samples: 0, found: [] }

  constructor(wish: RuleWish, maySeePositions: boolean) {
    this.#maySeePositions = maySeePositions
    this.#unit = peakUnitOf(wish.kind, wish.parameters)
  }

  add(progress: PreviewProgress): void {
    this.#progress = progress
    const { found } = progress
    if (found.length === 0) return
    for (const { publicId, item } of found) {
      this.#count++
      const day = new Date(item.startMs).toISOString().slice(0, 10)
      this.#byDay.set(day, (this.#byDay.get(day) ?? 0) + 1)
      this.#byVehicle.set(publicId, (this.#byVehicle.get(publicId) ?? 0) + 1)
    }
    this.#first = [...this.#first, ...found].sort((a, b) => a.item.startMs - b.item.startMs).slice(0, MOST_INCIDENTS)
  }

  progress(): object {
    const { devices, devicesDone, samples } = this.#progress
    return { devices, devicesDone, samples, count: this.#count }
  }

  result(): object {
    const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      ...this.progress(),
      byDay: sorted(this.#byDay).map(([day, count]) => ({ day, count })),
      byVehicle: sorted(this.#byVehicle)
        .sort(([, a], [, b]) => b - a)
        .map(([vehicleId, count]) => ({ vehicleId, count })),
      incidents: this.#first.map(found => this.#shown(found)),
    }
  }

  #shown({ publicId, deviceId, item }: FoundIncident): object {
    const place = (lon: number | null, lat: number | null) =>
      this.#maySeePositions && lon !== null && lat !== null ? { lat, lon } : null
    return {
      vehicleId: publicId,
      deviceId,
      areaId: item.areaId === null ? null : String(item.areaId),
      detail: item.detail,
      startTimestamp: new Date(item.startMs).toISOString(),
      endTimestamp: item.endMs === null ? null : new Date(item.endMs).toISOString(),
      peak:
        item.peak === null
          ? null
          : {
              value: item.peak,
              unit: this.#unit,
              timestamp: item.peakMs === null ? null : new Date(item.peakMs).toISOString(),
            },
      startPosition: place(item.startLongitude, item.startLatitude),
      endPosition: place(item.endLongitude, item.endLatitude),
    }
  }
}
