import { diceOf } from '../dice.ts'
import { moved, wayTowards } from '../ground.ts'
import { change, type Disturbance, replaced } from './disturbance.ts'
import { positionOf } from './gps-noise.ts'
import { isAsleep } from './while-parked.ts'

/** How far away the workshop is. */
const NEAREST_M = 1000
const FARTHEST_M = 8000
const SHORTEST_PARKED_MS = 30 * 60_000

/** While it is parked, a car is carried away and brought back with its engine off: it moves, and nobody drives. */
export function towing({ share }: { readonly share: number }): Disturbance {
  return (recording, seed) => {
    const { trips } = recording.truth
    const tows = trips.flatMap((trip, i) => {
      const { drive } = trip
      const dice = diceOf(seed, i, 81)
      const backMs = trips[i + 1]?.startMs
      if (!dice.happens(share) || backMs === undefined || backMs - drive.endMs < SHORTEST_PARKED_MS) return []
      // Anybody in the car, or what shakes it, would be towed as well.
      if (!isAsleep(recording, { fromMs: drive.endMs + recording.dongle.intervals.lingersMs + 1, toMs: backMs - 1 }))
        return []
      const way = wayTowards(dice.between(0, 360), dice.between(NEAREST_M, FARTHEST_M))
      return [{ trip, fromMs: drive.endMs, toMs: backMs, way }]
    })
    const towAt = (timeMs: number) => tows.find(({ fromMs, toMs }) => fromMs < timeMs && timeMs < toMs)
    if (tows.length === 0) return recording
    const towed = tows.flatMap(({ trip: { endPosition: home }, way, fromMs, toMs }) => {
      const [workshop, at] = [moved(home, way), (elapsed: number) => fromMs + elapsed * (toMs - fromMs)]
      return [
        { from: home, to: workshop, fromMs: at(0.25), toMs: at(0.375) },
        { from: workshop, to: home, fromMs: at(0.625), toMs: at(0.75) },
      ]
    })
    return change(
      { ...recording, truth: { ...recording.truth, tows: [...(recording.truth.tows ?? []), ...towed] } },
      ({ timeMs, drive }) => drive === undefined && towAt(timeMs) !== undefined,
      reading => {
        const [tow, position] = [towAt(reading.timeMs), positionOf(reading)]
        if (!tow || !position) return reading
        // There and back again in the middle half of the time.
        const elapsed = (reading.timeMs - tow.fromMs) / (tow.toMs - tow.fromMs)
        const away = Math.max(0, Math.min(1, 2 - Math.abs(elapsed - 0.5) * 8))
        const isMoving = away > 0 && away < 1
        const way = { eastM: tow.way.eastM * away, northM: tow.way.northM * away }
        return replaced(reading, { POSITION: moved(position, way), GPS_SPEED: isMoving ? 35 : 0, IS_MOVING: isMoving })
      },
    )
  }
}
