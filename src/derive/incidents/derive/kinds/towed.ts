import { requiredEventType } from '../../../../catalogue/event-types.ts'
import { distanceM, isFartherThan } from '../../../../model/earth.ts'
import type { Position } from '../../../../model/sample.ts'
import { FASTEST_KMH, STAY_RADIUS_M } from '../../../trips/derive/rules.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import type { Moment } from '../moment.ts'
import { packSpellIfAny, unpackSpellIfAny } from '../packed-spell.ts'
import { packing } from '../packing.ts'
import { numberOf } from '../rule-book.ts'
import { endedSpell, openSpell, type Spell, spellFrom, withSample } from '../spell.ts'
import { isAsleep } from './asleep.ts'
import { LONGEST_PARKED_GAP_MS, LONGEST_STANDING_GAP_MS } from './bounds.ts'

/** Where a car stands with its ignition off, and when it was last there; and how it is moved away. */
type Parked = {
  readonly lon: number
  readonly lat: number
  readonly timeMs: number
  readonly spell: Spell | null
}

const POSITION = requiredEventType('POSITION')
const IGNITION = requiredEventType('IS_IGNITION_ON')
const ENGINE = requiredEventType('ENGINE_STATE')
const TYPES = [POSITION, IGNITION, ENGINE]
const SPEEDS = [requiredEventType('VEHICLE_SPEED_AVERAGE'), requiredEventType('VEHICLE_SPEED_MAX')]
/** What no sample of a car says that is asleep (`isAsleep`). */
const DRIVEN = [
  { types: SPEEDS.map(({ id }) => id), below: FASTEST_KMH },
  { types: [IGNITION.id] },
  { types: [ENGINE.id] },
]
/** A single fix away from there may be false. */
const LEAST_FIXES = 2
/** A tow truck that waits so long has arrived. */
const ARRIVED_MS = 10 * 60_000

const PARKED_PACKING = packing(
  ({ lon, lat, timeMs, spell }: Parked, origin) =>
    [lon, lat, timeMs - origin.timeMs, packSpellIfAny(spell, origin)] as const,
  ([lon, lat, since, spell], origin) => ({
    lon,
    lat,
    timeMs: since + origin.timeMs,
    spell: unpackSpellIfAny(spell, origin),
  }),
)

/** The car is moved while its ignition is off. It begins where the car stood, and ends with the last fix of the way. */
export const towed: KindOfRule = rule => {
  const leastM = numberOf(rule, 'distanceM')
  const isSure = (spell: Spell) => spell.count >= LEAST_FIXES
  const found = ({ spell }: Parked) => (spell && isSure(spell) ? [endedSpell(spell)] : [])
  return detector<Parked>({
    begins: TYPES.map(({ id }) => id),
    // Else it is not asleep.
    beginsOnly: { isIgnitionOff: true },
    occasion: { types: [POSITION.id], moved: { leastM, shownBy: DRIVEN }, needs: 'all' },
    longestGapMs: LONGEST_PARKED_GAP_MS,
    packing: PARKED_PACKING,
    step(parked, moment) {
      const { now, timeMs, isFixBelieved } = moment
      if (!isAsleep(moment)) return parked ? { state: null, done: found(parked) } : NOTHING
      const { place } = now
      if (!isFixBelieved || !place) return parked ? goesOn(parked) : NOTHING
      const { lon, lat } = place
      const here: Parked = { lon, lat, timeMs, spell: null }
      if (!parked) return goesOn(here)
      const { spell } = parked
      if (!spell && isThere(parked, place)) return goesOn({ lon: parked.lon, lat: parked.lat, timeMs, spell })
      const awayM = Math.round(distanceM(parked, place))
      if (spell) {
        const isOnItsWay = distanceM({ lon: spell.lastLon ?? lon, lat: spell.lastLat ?? lat }, place) > STAY_RADIUS_M
        if (isOnItsWay && timeMs - spell.lastMs <= LONGEST_STANDING_GAP_MS)
          // Back where it stood: a false fix, or it never left.
          return awayM < leastM && !isSure(spell)
            ? { state: { ...parked, timeMs, spell: null }, done: [] }
            : { state: { ...parked, spell: withSample(spell, moment, awayM) }, done: [] }
        const isStill = !isOnItsWay && timeMs - spell.lastMs < ARRIVED_MS
        if (isStill) return { state: isSure(spell) ? parked : confirmed(parked, spell), done: [] }
        return { state: here, done: found(parked) }
      }
      if (awayM < leastM) return goesOn(parked)
      // What happened in a long silence is unknown: the record of a drive may come later.
      if (timeMs - parked.timeMs > LONGEST_STANDING_GAP_MS && wasSilent(moment)) return goesOn(here)
      const begun = spellFrom(moment, awayM, Math.min(parked.timeMs, timeMs))
      return { state: { ...parked, spell: { ...begun, startLon: parked.lon, startLat: parked.lat } }, done: [] }
    },
    goingOn: ({ spell }) => (spell && isSure(spell) ? [openSpell(spell)] : []),
    end: found,
  })
}

/** Whether a car is where it stood. Mostly it is, and a bound is found sooner than a distance, which is rounded. */
function isThere(parked: Parked, place: Position): boolean {
  return !isFartherThan(STAY_RADIUS_M + 0.49, parked, place) || Math.round(distanceM(parked, place)) <= STAY_RADIUS_M
}

/** A second fix at the end of the way agrees that the car is there; the way ended with the first. */
function confirmed(parked: Parked, spell: Spell): Parked {
  return { ...parked, spell: { ...spell, count: spell.count + 1 } }
}

function wasSilent({ before, timeMs }: Moment): boolean {
  return before === null || timeMs - before.lastMs > LONGEST_STANDING_GAP_MS
}
