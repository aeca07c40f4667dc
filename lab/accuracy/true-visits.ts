import { distanceM } from '../../src/model/earth.ts'
import type { Position } from '../../src/model/sample.ts'
import type { Reading } from '../simulation/readings.ts'
import type { Recording } from '../simulation/recording.ts'
import { placeOf, stretchesOf, within } from './recorded.ts'
import type { Asked, TrueIncident } from './true-incident.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const LONGEST_LOOK_MS = 20_000
const BORDER_M = 60
/** The default of the rule, and a tolerance within which either result is right. */
const STAYED_MS = HOUR_MS
const STAYED_SLACK_MS = 10 * MINUTE_MS
/** A parked dongle that sends nothing for this long may have been anywhere. */
const LONGEST_STAY_GAP_MS = 12 * HOUR_MS
const SHORTEST_VISIT_MS = 2 * MINUTE_MS
/** A car that left is seen elsewhere within this time; otherwise its leaving need not be found. */
const SHOWN_LEFT_MS = 30 * MINUTE_MS

/**
 * So far outside, a record shows that the car has left (docs/adr/0033), with a little for the flat earth: what comes after it is another visit,
 * which must be long enough by itself.
 */
const LEFT_M = 25

/** Records that tell that the car was there all the time, for longer than the shortest visit. */
function isVisitShown(inside: readonly Reading[]): boolean {
  const shownMs = (inside.at(-1)?.timeMs ?? 0) - (inside[0]?.timeMs ?? 0)
  return inside.length >= 4 && shownMs >= SHORTEST_VISIT_MS + MINUTE_MS
}

/** The records between those that part them. */
function splitBy(records: readonly Reading[], isParting: (record: Reading) => boolean): Reading[][] {
  const parts: Reading[][] = [[]]
  for (const record of records) {
    if (isParting(record)) parts.push([])
    else parts.at(-1)?.push(record)
  }
  return parts
}

/** According to the records with a position. */
export function trueVisits(
  recording: Recording,
  seen: readonly Reading[],
  { center, radiusM }: Asked['areas'][number],
): TrueIncident[] {
  const placeAt = placeOf(recording)
  const fromMs = recording.truth.stints[0]?.fromMs ?? 0
  const toMs = recording.truth.stints.at(-1)?.toMs ?? 0
  const awayM = (timeMs: number) => distanceM(center, placeAt(timeMs))
  const isTold = (position: unknown, timeMs: number) =>
    typeof position === 'object' && distanceM(position as Position, placeAt(timeMs)) < BORDER_M
  const stays = stretchesOf(fromMs, toMs, LONGEST_LOOK_MS, timeMs => awayM(timeMs) <= radiusM + BORDER_M)
  const isSeenOutside = (from: number, to: number) =>
    within(seen, from, to).some(
      ({ timeMs, events }) => awayM(timeMs) > radiusM + BORDER_M && isTold(events.get('POSITION'), timeMs),
    )
  const visited = stays.flatMap(visit => {
    const told = within(seen, visit.fromMs, visit.toMs).filter(({ timeMs, events }) =>
      isTold(events.get('POSITION'), timeMs),
    )
    const isInside = ({ timeMs }: Reading) => awayM(timeMs) <= radiusM - BORDER_M
    const stints = splitBy(
      told,
      ({ events }) => distanceM(center, events.get('POSITION') as Position) > radiusM + LEFT_M,
    )
      .map(stint => stint.filter(isInside))
      .filter(stint => stint.length > 0)
    const last = stints.at(-1) ?? []
    const entered = [
      { kind: 'AREA_ENTERED' as const, ...visit, isSure: stints.some(isVisitShown) },
      ...longStay(visit, stints),
    ]
    const between = stints.slice(1).map((stint, index) => ({
      kind: 'AREA_LEFT' as const,
      fromMs: stints[index]?.at(-1)?.timeMs ?? visit.fromMs,
      toMs: stint[0]?.timeMs ?? visit.toMs,
      isSure: false,
    }))
    if (visit.toMs + LONGEST_LOOK_MS > toMs) return [...entered, ...between]
    const outside = within(seen, visit.toMs, visit.toMs + SHOWN_LEFT_MS).filter(
      ({ timeMs, events }) => awayM(timeMs) > radiusM + 2 * BORDER_M && isTold(events.get('POSITION'), timeMs),
    )
    // It left after the last record inside, and before the first outside.
    const left = { fromMs: last.at(-1)?.timeMs ?? visit.fromMs, toMs: outside[0]?.timeMs ?? visit.toMs }
    const isSure = isVisitShown(last) && outside.length >= 4
    return [...entered, ...between, { kind: 'AREA_LEFT' as const, ...left, isSure }]
  })
  return [...visited, ...seemingStays(stays, isSeenOutside)]
}

/** Where no record shows that a car was away, it may as well have stayed. */
function seemingStays(
  stays: readonly { readonly fromMs: number; readonly toMs: number }[],
  isSeenOutside: (fromMs: number, toMs: number) => boolean,
): TrueIncident[] {
  const joined: { fromMs: number; toMs: number; count: number }[] = []
  for (const { fromMs, toMs } of stays) {
    const last = joined.at(-1)
    if (last && !isSeenOutside(last.toMs, fromMs)) joined.splice(-1, 1, { ...last, toMs, count: last.count + 1 })
    else joined.push({ fromMs, toMs, count: 1 })
  }
  return joined
    .filter(({ fromMs, toMs, count }) => count > 1 && toMs - fromMs >= STAYED_MS - STAYED_SLACK_MS)
    .map(({ fromMs, toMs }) => ({ kind: 'AREA_STAYED', fromMs, toMs, isSure: false }))
}

/** @param stints records that tell that the car was there, of each time until it left */
function longStay(
  visit: { readonly fromMs: number; readonly toMs: number },
  stints: readonly (readonly Reading[])[],
): TrueIncident[] {
  if (visit.toMs - visit.fromMs < STAYED_MS - STAYED_SLACK_MS) return []
  let longestMs = 0
  for (const inside of stints) {
    let beganMs: number | undefined
    let lastMs = 0
    for (const { timeMs } of inside) {
      if (beganMs === undefined || timeMs - lastMs > LONGEST_STAY_GAP_MS) beganMs = timeMs
      lastMs = timeMs
      longestMs = Math.max(longestMs, lastMs - beganMs)
    }
  }
  return [{ kind: 'AREA_STAYED', ...visit, isSure: longestMs >= STAYED_MS + STAYED_SLACK_MS }]
}
