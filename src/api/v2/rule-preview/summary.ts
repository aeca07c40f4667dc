import type { RuleWish } from '../../../fleet/rules/wish.ts'
import { peakUnitOf } from '../incidents/peak-unit.ts'
import type { PreviewProgress } from './preview.ts'
import { type FoundIncident, Tallied } from './tally.ts'

/** What a preview answers. */
export class PreviewSummary {
  readonly #maySeePositions: boolean
  readonly #unit: string
  readonly #found = new Tallied()
  #progress: Omit<PreviewProgress, 'found'> = { devices: 0, devicesDone: 0, samples: 0 }

  constructor(wish: RuleWish, maySeePositions: boolean) {
    this.#maySeePositions = maySeePositions
    this.#unit = peakUnitOf(wish.kind, wish.parameters)
  }

  add(progress: PreviewProgress): void {
    this.#progress = progress
    this.#found.add(progress.found)
  }

  progress(): object {
    const { devices, devicesDone, samples } = this.#progress
    return { devices, devicesDone, samples, count: this.#found.count }
  }

  result(): object {
    const { byDay, byVehicle, first } = this.#found.sum()
    return {
      ...this.progress(),
      byDay: byDay
        .toSorted(([a], [b]) => a - b)
        .map(([dayMs, count]) => ({ day: new Date(dayMs).toISOString().slice(0, 10), count })),
      byVehicle: byVehicle
        .toSorted(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1))
        .map(([vehicleId, count]) => ({ vehicleId, count })),
      incidents: first.map(found => this.#shown(found)),
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
