/**
 * Every value by which trips are told apart (decisions.md, *Trips*), with its reason. Changing one changes what
 * `tacho rebuild` finds.
 */

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const DAY_MS = 24 * 60 * MINUTE_MS

// Begin and end of trips.

/** decisions.md: an ignition pause below it does not cut a trip (stalled, start-stop, a loose contact). */
export const IGNITION_PAUSE_MS = 2 * MINUTE_MS
/** decisions.md: without data for so long, nobody knows that the car was still driving. */
export const DATA_GAP_MS = 5 * MINUTE_MS
/** decisions.md: without motion for so long, the car was parked; traffic lights and level crossings are shorter. */
export const MOTION_PAUSE_MS = 5 * MINUTE_MS
/** decisions.md: faster than somebody who carries the dongle, and than what a standing receiver usually reports. */
export const MOTION_KMH = 5
/**
 * The first reading of standstill ends the motion when it comes so soon after the last motion: the car stopped
 * somewhere between the two. Later than that it may have stood for long, and the last motion is the better end.
 */
export const STANDSTILL_READING_MS = 2 * MINUTE_MS
/** decisions.md: what is shorter than both is no trip: ignition tried, a car moved out of the way. */
export const SHORTEST_TRIP_MS = 30 * SECOND_MS
export const SHORTEST_TRIP_M = 100

/**
 * What motion alone began is a trip once the car got so far from where it stood. Fixes of a parked receiver wander by
 * some ten metres, and by less than this even between houses.
 */
export const MOTION_DISPLACEMENT_M = 100
/** Until then it is forgotten after so long without motion (a single spike of speed), ... */
export const UNPROVEN_PAUSE_MS = MINUTE_MS
/** ... or after so long altogether, so that hours of drift do not become the begin of the next trip. */
export const UNPROVEN_MS = 5 * MINUTE_MS

/** The word on ignition or engine no longer counts after so many days with data but without it: it was reconfigured. */
export const WORD_FORGOTTEN_AFTER_DAYS = 30

// Positions.

/** No car is there: receivers report 0,0 and, rounded or filtered, its surroundings until they know better. */
export const NULL_ISLAND_DEG = 0.01
/** Faster is no car, so it is an error of the receiver or of the clock; and 255, OBD's largest speed, means none. */
export const FASTEST_KMH = 250
export const FASTEST_M_PER_MS = FASTEST_KMH / 3600
/** By how much two good fixes may be wrong together, between houses. */
export const FIX_ERROR_M = 100
/** How old a fix may be that a receiver repeats; what it moved meanwhile appears at once with the next. */
export const REPEATED_FIX_MS = 30 * SECOND_MS
/** So many different fixes in a row that agree with each other but not with the last place: it is the new place. */
export const AGREEING_FIXES = 3
/** A parked receiver may repeat one and the same fix; held for so long, it is the new place as well. */
export const AGREEING_MS = MINUTE_MS

// Length of a path.

/**
 * The path is counted in steps of at least so much: noise within it adds nothing while the car stands, and a bend of
 * a street is still followed (a right-angled corner is cut by 0.6 of it at most).
 */
export const STEP_M = 12
/** A car that reports no more stands; OBD has whole km/h, and satellite speeds of a standing car are hardly above this. */
export const STANDSTILL_KMH = 2
/** While the car says that it stands, fixes this near are drift. Farther, it was moved after all. */
export const STANDSTILL_DRIFT_M = 50
/**
 * Without a new fix for so long while the car drives, it is in a tunnel or a garage: the speed that the car itself
 * reports is then summed up. A straight line is too short by the bends; a wheel's speed is right to some percent.
 */
export const BLIND_MS = 15 * SECOND_MS
/** Two readings of speed farther apart say nothing of what was between. */
export const SPEED_READING_MS = 15 * SECOND_MS
/** A start is where the first fix is, when it comes so soon; else where the car stood before. */
export const START_FIX_MS = 2 * MINUTE_MS

/** No car was driven so far; what cars send for an odometer that they do not know lies beyond. */
export const MOST_ODOMETER_KM = 4_000_000
/** Cars that count whole kilometres may still add a fraction, so any odometer may stay and then move by so much. */
export const COARSEST_STEP_M = 1000
/** An odometer that stays the same while positions say so much more than its step is not counting. */
export const STUCK_ODOMETER_M = 1000

// Route.

/** Every fix lies so near to the simplified route. */
export const ROUTE_TOLERANCE_M = 5
/** Longest straight piece: beyond, a straight line on a map and on the earth differ by more than centimetres. */
export const ROUTE_PIECE_M = 2000

// Checkpoints.

export const CHECKPOINT_MS = DAY_MS
/** While driving: folding a long drive again begins at most so much before the late sample. */
export const DRIVING_CHECKPOINT_MS = 60 * MINUTE_MS
