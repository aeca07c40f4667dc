import type { CarState } from './car-state.ts'
import { type Finding, type Observation, UNKNOWN_FINDING } from './detector.ts'

/** Something that lasts, as far as it is known: it counts once it has lasted long enough. */
export type Period = {
  readonly startMs: number
  readonly startLon: number | null
  readonly startLat: number | null
  /** The last sample that said so. */
  readonly lastMs: number
  readonly lastLon: number | null
  readonly lastLat: number | null
  readonly peak: number | null
  readonly peakMs: number | null
  /** Samples that said so. */
  readonly count: number
}

/** A period that begins with a sample. @param startMs earlier where the sample is about the time before it */
export function periodFrom({ timeMs, now: { place } }: Observation, peak: number | null, startMs = timeMs): Period {
  const lon = place?.lon ?? null
  const lat = place?.lat ?? null
  const peakMs = peak === null ? null : timeMs
  return { startMs, startLon: lon, startLat: lat, lastMs: timeMs, lastLon: lon, lastLat: lat, peak, peakMs, count: 1 }
}

/** One more sample says so. @param isLess the least value is the peak */
export function withSample(
  { startMs, startLon, startLat, peak, peakMs, count }: Period,
  { timeMs, now: { place } }: Observation,
  value: number | null,
  isLess = false,
): Period {
  const lastLon = place?.lon ?? null
  const lastLat = place?.lat ?? null
  const isPeak = value !== null && (peak === null || (isLess ? value < peak : value > peak))
  return {
    startMs,
    startLon,
    startLat,
    lastMs: timeMs,
    lastLon,
    lastLat,
    peak: isPeak ? value : peak,
    peakMs: isPeak ? timeMs : peakMs,
    count: count + 1,
  }
}

/** How long it has lasted for sure. */
export function lastedMs({ startMs, lastMs }: Period): number {
  return lastMs - startMs
}

/** A finding that ends with the last sample that said so. */
export function endedPeriod(period: Period): Finding {
  const { lastMs, lastLon, lastLat } = period
  return { ...openPeriod(period), endMs: lastMs, endLongitude: lastLon, endLatitude: lastLat }
}

/** A finding that ends with another sample. */
export function endedAt(period: Period, { lastMs, place }: CarState): Finding {
  return { ...openPeriod(period), endMs: lastMs, endLongitude: place?.lon ?? null, endLatitude: place?.lat ?? null }
}

export function openPeriod({ startMs, startLon, startLat, peak, peakMs }: Period): Finding {
  const start = { startMs, startLongitude: startLon, startLatitude: startLat }
  return { ...UNKNOWN_FINDING, ...start, peak, peakMs }
}

/** Something reached a value that was due, at one instant. */
export function reached({ timeMs, now: { place } }: Observation, value: number, due: string): Finding {
  const lon = place?.lon ?? null
  const lat = place?.lat ?? null
  return {
    ...UNKNOWN_FINDING,
    startMs: timeMs,
    endMs: timeMs,
    peak: value,
    peakMs: timeMs,
    startLongitude: lon,
    startLatitude: lat,
    endLongitude: lon,
    endLatitude: lat,
    detail: due,
  }
}
