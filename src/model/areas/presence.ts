/**
 * The presence of a car in an area, from one fix after the other. Receivers err by some metres, so a car that is in counts as in
 * until a fix lies farther out than that; and a car that only touches an area was not there.
 */

/** One fix, as seen from one area. */
export interface AreaFix {
  readonly timeMs: number
  /** From the border: negative inside. Infinite where it is known to be far away and nobody measured. */
  readonly signedDistanceM: number
}

export interface PresenceSettings {
  /** A car that was in has left when a fix is farther outside than this. */
  readonly hysteresisM: number
  /** Shorter stays are none. 0: a single fix inside is one. */
  readonly shortestStayMs: number
}

/** While a car is in, or was in so shortly that it may not count. Plain JSON. */
export interface PresenceState {
  /** The first fix inside. */
  readonly enteredMs: number
  /** The last fix inside; later ones lie within the hysteresis. */
  readonly lastInsideMs: number
}

/** From the first fix inside to the last. */
export interface Visit {
  readonly enteredMs: number
  readonly leftMs: number
}

interface PresenceStep {
  /** Null when the car is outside. */
  readonly state: PresenceState | null
  /** A stay that was long enough and that no later fix can change. */
  readonly ended: Visit | null
}

const OUTSIDE: PresenceStep = { state: null, ended: null }

/**
 * Usual for car receivers: nine of ten fixes err by less than 15 m, in narrow streets by 30 m. Two minutes are
 * longer than a red light, and shorter than unloading takes.
 */
export const USUAL_PRESENCE: PresenceSettings = { hysteresisM: 30, shortestStayMs: 120_000 }

/** Goes on by one fix, later than those before it. */
export function stepPresence(state: PresenceState | null, fix: AreaFix, settings: PresenceSettings): PresenceStep {
  const { timeMs, signedDistanceM } = fix
  if (signedDistanceM <= 0) {
    return { state: { enteredMs: state?.enteredMs ?? timeMs, lastInsideMs: timeMs }, ended: null }
  }
  if (!state) return OUTSIDE
  if (signedDistanceM <= settings.hysteresisM) return { state, ended: null }
  return { state: null, ended: endedPresence(state, settings) }
}

/** The visit when nothing more is known after the last fix: a long gap in the data, or the end of a period. */
export function endedPresence(state: PresenceState | null, { shortestStayMs }: PresenceSettings): Visit | null {
  if (!state || state.lastInsideMs - state.enteredMs < shortestStayMs) return null
  return { enteredMs: state.enteredMs, leftMs: state.lastInsideMs }
}

/** Since when the car is in; null while it is not, or not yet long enough to count. */
export function goingOnSince(state: PresenceState | null, settings: PresenceSettings): number | null {
  return endedPresence(state, settings)?.enteredMs ?? null
}
