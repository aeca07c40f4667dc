import { LONGEST_SILENCE_MS } from '../../../trips/derive/rules.ts'

const MINUTE_MS = 60_000

/** Dongles that report every five minutes lose a record at times; after three times that nobody knows what the driver did. */
export const LONGEST_DRIVING_GAP_MS = 15 * MINUTE_MS
/** The longest that a car may be believed to go on standing as it did, as long as trips believe that it drives. */
export const LONGEST_STANDING_GAP_MS = LONGEST_SILENCE_MS
/** A parked dongle sleeps, and reports once a day at least. */
export const LONGEST_PARKED_GAP_MS = 36 * 60 * MINUTE_MS
/** Over a longer silence nobody compares levels: cars stand through holidays, and a clock that is wrong is wrong by months. */
export const LONGEST_UNUSED_GAP_MS = 30 * 24 * 60 * MINUTE_MS
/** What the car itself says holds until it says something else, however long nobody asks. */
export const ANY_GAP_MS = Number.MAX_SAFE_INTEGER
