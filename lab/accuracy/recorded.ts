import type { Position } from '../../src/model/sample.ts'
import { type Reading } from '../simulation/readings.ts'
import { type Recording } from '../simulation/recording.ts'
import { situationAt } from '../simulation/situation.ts'

/** Records of a time, bounds included. */
export const within = (seen: readonly Reading[], fromMs: number, toMs: number) =>
  seen.filter(({ timeMs }) => fromMs <= timeMs && timeMs <= toMs)

/** Stretches in which a condition holds, sampled at regular intervals. */
export function stretchesOf(
  fromMs: number,
  toMs: number,
  everyMs: number,
  holds: (timeMs: number) => boolean,
): { fromMs: number; toMs: number }[] {
  const found: { fromMs: number; toMs: number }[] = []
  let beganMs: number | undefined
  let lastMs = fromMs
  for (let timeMs = fromMs; timeMs <= toMs; timeMs += everyMs) {
    if (holds(timeMs)) {
      beganMs ??= timeMs
      lastMs = timeMs
    } else if (beganMs !== undefined) {
      found.push({ fromMs: beganMs, toMs: lastMs })
      beganMs = undefined
    }
  }
  return beganMs === undefined ? found : [...found, { fromMs: beganMs, toMs: lastMs }]
}

/** Where the car was, tows included. Each way there has one back, and two may happen to the same parked car. */
export function placeOf({ truth: { stints, tows = [] } }: Recording): (timeMs: number) => Position {
  return timeMs => {
    const stint = stints.findLast(({ fromMs }) => fromMs <= timeMs) ?? stints[0]
    const at = stint && situationAt(stint.schedule, timeMs).motion.position
    let { lon, lat } = at ?? { lon: 0, lat: 0 }
    for (const { from, to, fromMs, toMs } of tows) {
      const share = Math.max(0, Math.min(1, (timeMs - fromMs) / (toMs - fromMs)))
      lon += (to.lon - from.lon) * share
      lat += (to.lat - from.lat) * share
    }
    return { lon, lat }
  }
}
