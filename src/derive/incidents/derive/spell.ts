import type { Finding } from './finding.ts'
import type { Moment } from './moment.ts'
import type { Situation } from './situation.ts'

/** Something that lasts, as far as it is known: it counts once it has lasted long enough. */
export type Spell = {
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

/** A spell that begins with a sample. @param startMs earlier where the sample tells of the time before it */
export function spellFrom({ timeMs, now: { place } }: Moment, peak: number | null, startMs = timeMs): Spell {
  const lon = place?.lon ?? null
  const lat = place?.lat ?? null
  const peakMs = peak === null ? null : timeMs
  return { startMs, startLon: lon, startLat: lat, lastMs: timeMs, lastLon: lon, lastLat: lat, peak, peakMs, count: 1 }
}

/** One more sample says so. @param isLess the least value is the peak */
export function withSample(
  spell: Spell,
  { timeMs, now: { place } }: Moment,
  value: number | null,
  isLess = false,
): Spell {
  const isPeak = value !== null && (spell.peak === null || (isLess ? value < spell.peak : value > spell.peak))
  return {
    startMs: spell.startMs,
    startLon: spell.startLon,
    startLat: spell.startLat,
    lastMs: timeMs,
    lastLon: place?.lon ?? null,
    lastLat: place?.lat ?? null,
    peak: isPeak ? value : spell.peak,
    peakMs: isPeak ? timeMs : spell.peakMs,
    count: spell.count + 1,
  }
}

/** How long it has lasted for sure. */
export function lastedMs({ startMs, lastMs }: Spell): number {
  return lastMs - startMs
}

/** A finding that ends with the last sample that said so. */
export function endedSpell(spell: Spell): Finding {
  return findingOf(spell, spell.lastMs, spell.lastLon, spell.lastLat)
}

/** A finding that ends with another sample. */
export function endedAt(spell: Spell, { lastMs, place }: Situation): Finding {
  return findingOf(spell, lastMs, place?.lon ?? null, place?.lat ?? null)
}

/** A finding that goes on. */
export function openSpell(spell: Spell): Finding {
  return findingOf(spell, null, null, null)
}

function findingOf(
  { startMs, startLon, startLat, peak, peakMs }: Spell,
  endMs: number | null,
  endLongitude: number | null,
  endLatitude: number | null,
): Finding {
  return {
    startMs,
    endMs,
    peak,
    peakMs,
    startLongitude: startLon,
    startLatitude: startLat,
    endLongitude,
    endLatitude,
    areaId: null,
    detail: null,
  }
}
