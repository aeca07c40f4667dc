import { detector, type KindOfRule } from '../detector.ts'
import type { Finding } from '../finding.ts'
import { packing, packPlace, unpackPlace } from '../packing.ts'
import { numberOf } from '../rule-book.ts'
import { ANY_GAP_MS } from './bounds.ts'

/** The last sample, after which silence may begin. */
type Heard = { readonly timeMs: number; readonly lon: number | null; readonly lat: number | null }

const HEARD_PACKING = packing(
  ({ timeMs, lon, lat }: Heard, origin) => [timeMs - origin.timeMs, packPlace(lon, lat, origin)] as const,
  ([since, place], origin) => {
    const { lon, lat } = unpackPlace(place, origin)
    return { timeMs: since + origin.timeMs, lon, lat }
  },
)

/** Nothing came for a time: from the last sample until the next one. */
export const offline: KindOfRule = rule => {
  const forMs = numberOf(rule, 'forMinutes') * 60_000
  const silence = ({ timeMs, lon, lat }: Heard): Finding => ({
    startMs: timeMs,
    endMs: null,
    peak: null,
    peakMs: null,
    startLongitude: lon,
    startLatitude: lat,
    endLongitude: null,
    endLatitude: null,
    areaId: null,
    detail: null,
  })
  return detector<Heard>({
    begins: undefined,
    longestGapMs: ANY_GAP_MS,
    isOfDongle: true,
    packing: HEARD_PACKING,
    step(heard, { timeMs, now: { place } }) {
      const after = { timeMs, lon: place?.lon ?? null, lat: place?.lat ?? null }
      if (!heard || timeMs - heard.timeMs < forMs) return { state: after, done: [] }
      const end = { endMs: timeMs, endLongitude: after.lon, endLatitude: after.lat }
      return { state: after, done: [{ ...silence(heard), ...end }] }
    },
    goingOn: () => [],
    silent: (heard, nowMs) => (nowMs - heard.timeMs < forMs ? [] : [silence(heard)]),
    end: () => [],
  })
}
