import type { Position } from '../../src/model/sample.ts'

/** A point of a route and the road from there to the next one. */
export interface Waypoint extends Position {
  /** Usual speed on the road to the next point. */
  readonly limitKmh: number
  /** The longest stop here, at a light or at a customer's; absent where there is none. */
  readonly stopS?: number
}

export type Route = readonly Waypoint[]

/** The same way in the other direction: the limit belongs to the road behind a point now, not to the one ahead. */
export function backwards(route: Route): Route {
  return route.map((point, i) => ({ ...point, limitKmh: route[i - 1]?.limitKmh ?? point.limitKmh })).toReversed()
}
