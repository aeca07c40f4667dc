import { numberOf } from '../../rules/rule-book.ts'
import { ANY_GAP_MS, detector, type Finding, type KindOfRule, UNKNOWN_FINDING } from '../detector.ts'

/** The last sample, after which silence may begin. */
type LastReport = { readonly timeMs: number; readonly lon: number | null; readonly lat: number | null }

/** Nothing came for a time: from the last sample until the next one. */
export const offline: KindOfRule = rule => {
  const forMs = numberOf(rule, 'forMinutes') * 60_000
  const silence = ({ timeMs, lon, lat }: LastReport): Finding => ({
    ...UNKNOWN_FINDING,
    startMs: timeMs,
    startLongitude: lon,
    startLatitude: lat,
  })
  return detector<LastReport>({
    types: undefined,
    longestGapMs: ANY_GAP_MS,
    isOfDongle: true,
    step(last, { timeMs, now: { place } }) {
      const state = { timeMs, lon: place?.lon ?? null, lat: place?.lat ?? null }
      if (!last || timeMs - last.timeMs < forMs) return { state, done: [] }
      return { state, done: [{ ...silence(last), endMs: timeMs, endLongitude: state.lon, endLatitude: state.lat }] }
    },
    goingOn: () => [],
    silent: (last, nowMs) => (nowMs - last.timeMs < forMs ? [] : [silence(last)]),
    end: () => [],
  })
}
