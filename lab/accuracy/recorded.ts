import type { Position } from '../../src/model/sample.ts'
import { type Reading } from '../simulation/readings.ts'
import { type Recording } from '../simulation/recording.ts'
import { situationAt } from '../simulation/situation.ts'

export const within = (seen: readonly Reading[], fromMs: number, toMs: number) =>
  seen.filter(({ timeMs }) => fromMs <= timeMs && timeMs <= toMs)

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
