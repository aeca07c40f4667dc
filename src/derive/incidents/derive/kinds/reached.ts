import type { Finding } from '../finding.ts'
import type { Moment } from '../moment.ts'

/** The moment at which something reached what was due, with the value that it had then. */
export function reached({ timeMs, now: { place } }: Moment, value: number, due: string): Finding {
  const lon = place?.lon ?? null
  const lat = place?.lat ?? null
  return {
    startMs: timeMs,
    endMs: timeMs,
    peak: value,
    peakMs: timeMs,
    startLongitude: lon,
    startLatitude: lat,
    endLongitude: lon,
    endLatitude: lat,
    areaId: null,
    detail: due,
  }
}
