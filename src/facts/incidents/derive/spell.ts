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

/** A spell that is written over with each sample that says so, by the run that made it: most samples of a drive do. */
class LiveSpell implements Spell {
  readonly startMs: number
  readonly startLon: number | null
  readonly startLat: number | null
  lastMs: number
  lastLon: number | null
  lastLat: number | null
  peak: number | null
  peakMs: number | null
  count: number

  constructor(of: Spell) {
    this.startMs = of.startMs
    this.startLon = of.startLon
    this.startLat = of.startLat
    this.lastMs = of.lastMs
    this.lastLon = of.lastLon
    this.lastLat = of.lastLat
    this.peak = of.peak
    this.peakMs = of.peakMs
    this.count = of.count
  }
}

/** A spell that begins with a sample. @param startMs earlier where the sample tells of the time before it */
export function spellFrom({ timeMs, now: { place } }: Moment, peak: number | null, startMs = timeMs): Spell {
  const lon = place?.lon ?? null
  const lat = place?.lat ?? null
  const peakMs = peak === null ? null : timeMs
  return { startMs, startLon: lon, startLat: lat, lastMs: timeMs, lastLon: lon, lastLat: lat, peak, peakMs, count: 1 }
}

/** One more sample says so: this may be the same spell, written over. @param isLess the least value is the peak */
export function withSample(
  spell: Spell,
  { timeMs, now: { place } }: Moment,
  value: number | null,
  isLess = false,
): Spell {
  const live = spell instanceof LiveSpell ? spell : new LiveSpell(spell)
  live.lastMs = timeMs
  live.lastLon = place?.lon ?? null
  live.lastLat = place?.lat ?? null
  live.count++
  if (value === null) return live
  if (live.peak === null || (isLess ? value < live.peak : value > live.peak)) {
    live.peak = value
    live.peakMs = timeMs
  }
  return live
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
