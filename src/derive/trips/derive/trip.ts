import type { Position } from '../../../model/sample.ts'

/** Why a trip began or ended, and with which sample: how an operator settles a dispute. */
export interface Cause<Rule extends string> {
  readonly rule: Rule
  /** The instant of the sample that decided it. */
  readonly timeMs: number
}

/**
 * 'data after a gap': the ignition was on before and still is; or the car woke up, and motion followed.
 */
export type OpeningRule = 'ignition on' | 'engine on' | 'motion' | 'data after a gap'
export type ClosingRule = 'ignition off' | 'engine off' | 'no motion' | 'gap without data' | 'unplugged'

/** Readings of one meter at both ends of a trip, by the id of its event type. */
export type Meters = Readonly<Record<string, { readonly start: number; readonly end: number }>>

/** A trip as the samples tell it. Lengths are whole metres and seconds, so that sums add up. */
export interface DerivedTrip {
  readonly startMs: number
  readonly endMs: number
  readonly distanceM: number
  readonly durationS: number
  /** undefined when there was no usable position. */
  readonly startPosition: Position | undefined
  readonly endPosition: Position | undefined
  readonly meters: Meters
  /** Encoded polyline (precision 5): `text` follows the first `kept` characters, which were handed out before. */
  readonly route: { readonly kept: number; readonly text: string }
  /** Positions that counted. */
  readonly fixCount: number
  /** Being driven as far as the samples tell: neither ended nor with ignition or engine off. */
  readonly isRunning: boolean
  /** Without anything new until then, it has ended (decisions.md, *Trips*, silence). */
  readonly silentFromMs: number
  readonly opened: Cause<OpeningRule>
  /** undefined while it may still go on. */
  readonly closed: Cause<ClosingRule> | undefined
  /** The two measures of its length, in metres; undefined where there are no readings. */
  readonly odometerM: number | undefined
  readonly positionsM: number | undefined
}

/**
 * Readings of one VIN after another. When they are believed, the dongle came into that car at `boundaryMs`: the last
 * unplug or trip end before the first of them (decisions.md, *Vehicles and devices*).
 */
export interface VinRun {
  readonly vin: string
  readonly firstMs: number
  /** Minus infinity when nothing before ended. */
  readonly boundaryMs: number
  /** Read at least twice. */
  readonly isConfirmed: boolean
}
