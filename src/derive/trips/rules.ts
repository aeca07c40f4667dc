/** Every parameter of the rules of trips (decisions.md, *Trips*), with its reason. Changes
 * alter what `tacho rebuild` finds. */

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const DAY_MS = 24 * 60 * MINUTE_MS

// Begin and end of trips.

/** decisions.md: an ignition pause below it does not cut a trip (stalled, start-stop, a loose contact). */
export const IGNITION_PAUSE_MS = 2 * MINUTE_MS
/** decisions.md: silence cuts a trip after so long, or after ... */
export const DATA_GAP_MS = 5 * MINUTE_MS
/** ... this many of the dongle's usual intervals, so that dongles that report every five minutes lose nothing; ... */
export const SILENT_INTERVALS = 2.5
/** ... but after so long in any case, whatever the odometer shows. */
export const LONGEST_SILENCE_MS = 30 * MINUTE_MS
/** decisions.md: without motion for so long, the car was parked; traffic lights and level crossings are shorter. */
export const MOTION_PAUSE_MS = 5 * MINUTE_MS
/** decisions.md: with the ignition on and no motion for so long (charging, a wired ignition), the trip ended with the last motion. */
export const IDLE_MS = 60 * MINUTE_MS
/** decisions.md: faster than a person who carries the dongle, and than the usual noise of a stationary receiver. */
export const MOTION_KMH = 5
/** The first standstill so soon after the last motion ends it: the car stopped in between. Later it may have stood for
 * long, and the last motion is the better end. */
export const STANDSTILL_READING_MS = 2 * MINUTE_MS
/** decisions.md: what is shorter than both is no trip: ignition tried, a car moved out of the way. */
export const SHORTEST_TRIP_MS = 30 * SECOND_MS
export const SHORTEST_TRIP_M = 100

/** A drive begun by motion alone is a trip once it got so far. Fixes of a parked receiver
 * wander by less, even between houses. */
export const MOTION_DISPLACEMENT_M = 100
/** The same from a place that is known by a few fixes only: each of two may be wrong by 75 m, to either side. */
export const UNSURE_DISPLACEMENT_M = 160
/** Until then it is forgotten after so long, so that hours of drift do not become the start of the next trip. */
export const UNPROVEN_MS = 5 * MINUTE_MS

/** So long on the road with the engine off, and the car is known to drive on a battery, too. */
export const HYBRID_MS = MINUTE_MS

/** The word on ignition or engine no longer counts after so many days with data but without it: it was reconfigured. */
export const WORD_FORGOTTEN_AFTER_DAYS = 30

// The car drives, by positions.

/** Fixes so near to each other are of a car that did not move; drift of a parked receiver is mostly within. */
export const STAY_RADIUS_M = 50
/** So long within it, and the car stands: longer than what a slow queue needs for that way. */
export const UNMOVED_MS = MINUTE_MS
/** A dongle that was silent for more of its usual intervals than this did not see the car drive: it would have reported. */
export const UNSEEN_INTERVALS = 2.5
/** How long evidence of motion from fixes or odometer holds while there is no other. */
export const DISPLACEMENT_HOLDS_MS = MINUTE_MS
/** So fast cars get along in town, lights included, for when a car left or came between two fixes far apart in time
 * (VED: 44 km/h over the first 90 s of trips, 35 over the last). */
export const TOWN_M_PER_MS = 35 / 3600
/** How much longer a way in town is than the straight line. */
export const TOWN_DETOUR = 1.2
/** After so many intervals, at least one report is missing, or the dongle reports as while parked. */
export const MISSED_INTERVALS = 1.5
/** How long before it left a car may have waited at a light, and come there unseen. */
export const BUSY_LEAD_MS = 3 * MINUTE_MS
/** Nearer in time nothing is estimated: the sample itself is better. */
export const SAME_MOMENT_MS = 15 * SECOND_MS
/** Without a fix before it, the way from where the car stood counts when it is no longer than this: out of a garage. */
export const LEAD_M = 500

// Positions.

/** No car is there: receivers report 0,0 and, rounded or filtered, its surroundings until they know better. */
export const NULL_ISLAND_DEG = 0.01
/** Faster is no car, so it is an error of the receiver or of the clock; and 255, OBD's largest speed, means none. */
export const FASTEST_KMH = 250
export const FASTEST_M_PER_MS = FASTEST_KMH / 3600
/** For longer than this no road lets a car be that fast; then it is no faster on average than most. */
export const AT_FULL_SPEED_MS = MINUTE_MS
/** Between two fixes far apart in time hardly any car is faster on average: another fix must agree. */
export const LIKELY_M_PER_MS = 130 / 3600
/** A car unseen for longer than usual in a drive, and then farther away, is there once a second fix says so. */
export const UNSEEN_WAY_M = 500
/** No car drives out and back that fast, by straight lines: roads bend, and a turn means
 * slowing down and gathering speed. */
export const TURNED_BACK_M_PER_MS = 60 / 3600
/** A fix that is far off and asks for as much waits for the next one, which shows whether the car was there. */
export const DOUBTED_M_PER_MS = 50 / 3600
/** By how much two good fixes may be wrong together, between houses. */
export const FIX_ERROR_M = 100
/** How old a fix may be that a receiver repeats (a tunnel); what it moved meanwhile appears at once with the next. */
export const FROZEN_FIX_MS = 3 * MINUTE_MS
/** So many different fixes in a row that agree with each other but not with the last place: it is the new place. */
export const AGREEING_FIXES = 3
/** Fewer, but for so long: it is the new place as well. */
export const AGREEING_MS = MINUTE_MS
/** A car that drove here and appears elsewhere may be back by then (spoofing, a receiver
 * astray); after it, it was true. */
export const EXCURSION_MS = 10 * MINUTE_MS

// Length of a path.

/** Steps of at least so much: noise within it adds nothing at standstill, and a bend is still followed (a right-angled
 * corner is cut by 0.6 of it at most). */
export const STEP_M = 12
/** A car that reports no more stands; OBD has whole km/h, and satellite speeds of a standing car are hardly above this. */
export const STANDSTILL_KMH = 2
/** While the car says that it stands, fixes this near are drift. Farther, it was moved after all. */
export const STANDSTILL_DRIFT_M = 50
/** So long without a new fix, and it is a tunnel or garage: the car's own speed is summed up. A straight line is too
 * short by the bends; a wheel's speed is right to some percent. */
export const BLIND_MS = 15 * SECOND_MS
/** decisions.md: driving without a new fix counts for so long by the speed of the car alone. */
export const BLIND_LIMIT_MS = 30 * MINUTE_MS
/** A receiver of which nothing came for so long is broken or unplugged: nothing can be held against the speed. */
export const RECEIVER_LOST_MS = DAY_MS
/** How long a car that reported its speed is believed to be awake. */
export const SPEED_READING_MS = 15 * SECOND_MS
/** A start is where the first fix is, when it comes so soon; else where the car stood before. */
export const START_FIX_MS = 2 * MINUTE_MS

/** No car was driven so far; what cars send for an odometer that they do not know lies beyond. */
export const MOST_ODOMETER_KM = 4_000_000

/** Less of an odometer is no word on driving: it may be rounding. */
export const LEAST_PROGRESS_M = 10
/** Cars that count whole kilometres may still add a fraction, so any odometer may stay and then move by so much. */
export const COARSEST_STEP_M = 1000
/** An odometer that stays the same while positions say so much more than its step is not counting. */
export const STUCK_ODOMETER_M = 1000

/** An odometer is compared with positions over so many metres before it may be found wrong by a tenth, ... */
export const CALIBRATION_M = 20_000
/** ... and over the last trips that make so many. */
export const CALIBRATION_FADES_M = 40_000
/** Shorter trips, and those whose positions are this uncertain, say nothing about the odometer. */
export const CALIBRATION_TRIP_M = 2000
export const CALIBRATION_ERROR = 0.04
/** Odometers are right to some percent, the estimate by sparse positions as well: beyond, one of them is wrong. */
export const ODOMETER_ERROR = 0.1
export const KM_PER_MILE = 1.609344

// Route.

/** Every fix lies so near to the simplified route. */
export const ROUTE_TOLERANCE_M = 5
/** Longest straight piece: beyond, a straight line on a map and on the earth differ by more than centimetres. */
export const ROUTE_PIECE_M = 2000

// Checkpoints.

export const CHECKPOINT_MS = DAY_MS
/** While driving: folding a long drive again begins at most so much before the out-of-order sample. */
export const DRIVING_CHECKPOINT_MS = 60 * MINUTE_MS
