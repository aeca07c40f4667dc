/** The presence of a car in an area, from fixes in order. Receivers err by some metres, so a car is in until a fix lies
 * farther out than that; and a car that only touches an area was not there. */

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

/** Usual for car receivers: nine of ten fixes err by less than 15 m, in narrow streets by 30 m. Two minutes are longer
 * than a red light, and shorter than unloading takes. */
export const USUAL_PRESENCE: PresenceSettings = { hysteresisM: 30, shortestStayMs: 120_000 }

/** The state after one more fix, later than those before it; null when the car is outside. */
export function stepPresence(
  state: PresenceState | null,
  { timeMs, signedDistanceM }: AreaFix,
  { hysteresisM }: PresenceSettings,
): PresenceState | null {
  if (signedDistanceM <= 0) return { enteredMs: state?.enteredMs ?? timeMs, lastInsideMs: timeMs }
  return signedDistanceM <= hysteresisM ? state : null
}

/** The visit of a car that has left, or is still in; null where its stay was too short to count so far. */
export function visitOf(state: PresenceState | null, { shortestStayMs }: PresenceSettings): Visit | null {
  if (!state || state.lastInsideMs - state.enteredMs < shortestStayMs) return null
  return { enteredMs: state.enteredMs, leftMs: state.lastInsideMs }
}
