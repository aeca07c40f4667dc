import { type EventTypeName, requiredEventType } from '../../../../catalogue/event-types.ts'
import { FASTEST_M_PER_MS } from '../../../trips/derive/rules.ts'
import { detector, goesOn, type KindOfRule, NOTHING } from '../detector.ts'
import { sinceBeforeMs } from '../moment.ts'
import { numberIn } from '../number-in.ts'
import { packSpells, unpackSpells } from '../packed-spell.ts'
import { packing } from '../packing.ts'
import { numberOf } from '../rule-book.ts'
import { isEngineRunning } from '../situation.ts'
import { endedAt, endedSpell, openSpell, type Spell, spellFrom, withSample } from '../spell.ts'
import { ANY_GAP_MS, LONGEST_DRIVING_GAP_MS } from './bounds.ts'
import { reached } from './reached.ts'

/** The last of the due values that a meter has reached; undefined before the first. @param every 0: there is one only */
function lastDue(value: number, first: number, every: number): number | undefined {
  if (value < first) return undefined
  return every > 0 ? first + Math.floor((value - first) / every) * every : first
}

/** The odometer, once two readings agree, and the last due kilometre that was told. */
type Driven = { readonly km: number; readonly timeMs: number; readonly toldKm: number | null }

const MILEAGE = requiredEventType('MILEAGE').id
/** It may be rounded to whole kilometres. */
const ROUNDED_KM = 1

export const serviceDueKm: KindOfRule = rule => {
  const aheadKm = numberOf(rule, 'aheadKm')
  const firstKm = numberOf(rule, 'dueKm')
  const everyKm = numberOf(rule, 'everyKm')
  return detector<Driven>({
    begins: [MILEAGE],
    occasion: { types: [MILEAGE], above: firstKm - aheadKm - ROUNDED_KM, needs: 'all' },
    isDeafToOthers: true,
    longestGapMs: ANY_GAP_MS,
    step(driven, moment) {
      const { timeMs } = moment
      const km = moment.reading.odometerKm
      if (km === undefined) return driven ? goesOn(driven) : NOTHING
      const mostKm = driven ? driven.km + ROUNDED_KM + (FASTEST_M_PER_MS * (timeMs - driven.timeMs)) / 1000 : 0
      const isAgreed = driven !== null && km >= driven.km && km <= mostKm
      const due = isAgreed ? lastDue(km + aheadKm, firstKm, everyKm) : undefined
      if (due === undefined || due <= (driven?.toldKm ?? Number.NEGATIVE_INFINITY))
        return { state: { km, timeMs, toldKm: driven?.toldKm ?? null }, done: [] }
      return { state: { km, timeMs, toldKm: due }, done: [reached(moment, km, String(due))] }
    },
    goingOn: () => [],
    end: () => [],
  })
}

/** How long the engine has run since the rule began, and the last due hour that was told. */
type Run = { readonly runMs: number; readonly toldHours: number | null }

const HOUR_MS = 3_600_000

export const serviceDueHours: KindOfRule = rule => {
  const startMs = numberOf(rule, 'engineHours') * HOUR_MS
  const firstHours = numberOf(rule, 'dueHours')
  const everyHours = numberOf(rule, 'everyHours')
  return detector<Run>({
    begins: undefined,
    longestGapMs: ANY_GAP_MS,
    step(before, moment) {
      const { runMs, toldHours } = before ?? { runMs: startMs, toldHours: null }
      const intervalMs = sinceBeforeMs(moment)
      const ran = moment.before !== null && isEngineRunning(moment.before) === true
      const isKnown = intervalMs !== undefined && intervalMs <= LONGEST_DRIVING_GAP_MS
      if (!ran || !isKnown) return before ? goesOn(before) : { state: { runMs, toldHours }, done: [] }
      const after = runMs + intervalMs
      const due = lastDue(after / HOUR_MS, firstHours, everyHours)
      if (due === undefined || due <= (toldHours ?? Number.NEGATIVE_INFINITY))
        return { state: { runMs: after, toldHours }, done: [] }
      const hours = Math.round((after / HOUR_MS) * 100) / 100
      return { state: { runMs: after, toldHours: due }, done: [reached(moment, hours, String(due))] }
    },
    goingOn: () => [],
    end: () => [],
  })
}

/** What a car says of the distance or the days that remain until a service. */
const REMAINING = [
  { detail: 'INSPECTION', type: 'INSPECTION_REMAINING_DISTANCE', most: 'remainingKm' },
  { detail: 'INSPECTION', type: 'INSPECTION_REMAINING_TIME', most: 'remainingDays' },
  { detail: 'OIL_CHANGE', type: 'OIL_CHANGE_REMAINING_DISTANCE', most: 'remainingKm' },
  { detail: 'OIL_CHANGE', type: 'OIL_CHANGE_REMAINING_TIME', most: 'remainingDays' },
] as const satisfies readonly { detail: string; type: EventTypeName; most: string }[]

/** By the name of the event type: since when it has been due. */
type Due = { readonly [type: string]: Spell }

/** From when the car itself says that a service is due soon until it says otherwise. The detail is which service. */
export const serviceDueByCar: KindOfRule = rule => {
  const rows = REMAINING.map(row => ({
    ...row,
    eventType: requiredEventType(row.type),
    mostValue: numberOf(rule, row.most),
  }))
  const byService = (due: Due) => {
    const spells = new Map<string, Spell>()
    for (const { detail, type } of rows) {
      const spell = due[type]
      const known = spells.get(detail)
      if (spell && (!known || spell.startMs < known.startMs)) spells.set(detail, spell)
    }
    return spells
  }
  return detector<Due>({
    packing: packing(packSpells, unpackSpells),
    begins: rows.map(({ eventType }) => eventType.id),
    occasion: { types: rows.map(({ eventType }) => eventType.id), needs: 'place' },
    isDeafToOthers: true,
    longestGapMs: ANY_GAP_MS,
    step(before, moment) {
      const after: Record<string, Spell> = { ...before }
      const earlier = byService(before ?? {})
      for (const { detail, type, eventType, mostValue } of rows) {
        const remaining = numberIn(moment, eventType)
        if (remaining === undefined) continue
        const spell = after[type] ?? earlier.get(detail)
        if (remaining > mostValue) delete after[type]
        else after[type] = spell ? withSample(spell, moment, null) : spellFrom(moment, null)
      }
      const left = byService(after)
      const done = [...earlier].flatMap(([detail, spell]) =>
        left.has(detail) ? [] : [{ ...endedAt(spell, moment.now), detail }],
      )
      return { state: left.size > 0 ? after : null, done }
    },
    goingOn: due => [...byService(due)].map(([detail, spell]) => ({ ...openSpell(spell), detail })),
    end: due => [...byService(due)].map(([detail, spell]) => ({ ...endedSpell(spell), detail })),
  })
}
