import { KMH_PER_KNOT } from '../shared/gps-fix.ts'

/** Above this speed Traccar itself sets `motion` when the tracker does not (`event.motion.speedThreshold`). */
const TRACCAR_THRESHOLD_KNOTS = 0.01
/** A parked receiver shows less. */
const LEAST_SPEED_KMH = 5

/**
 * Whether the attribute `motion` shows a moving car. If the tracker has no such sensor, Traccar derives it from
 * the speed, and reports motion of a parked car whenever its fixes scatter; its origin is not marked. So what Traccar
 * could have derived counts only where the speed of a fix leaves no doubt.
 */
export function isMovingOf(motion: unknown, speedKnots: number | undefined, hasFix: boolean): boolean | undefined {
  if (typeof motion !== 'boolean') return undefined
  const speed = speedKnots ?? 0
  const isOwnWord = motion !== speed > TRACCAR_THRESHOLD_KNOTS
  if (isOwnWord) return motion
  const isDoubtful = motion && speed * KMH_PER_KNOT < LEAST_SPEED_KMH
  return hasFix && !isDoubtful ? motion : undefined
}
