import { type EventTypeName, requiredEventType } from '../../../catalogue/event-types.ts'
import { numberOf, textOf } from '../../rules/rule-book.ts'
import { FASTEST_M_PER_MS } from '../../trips/rules.ts'
import { isEngineRunning, numberIn } from '../car-state.ts'
import {
  ANY_GAP_MS,
  detector,
  goesOn,
  type KindOfRule,
  LONGEST_DRIVING_GAP_MS,
  NOTHING,
  sinceBeforeMs,
} from '../detector.ts'
import { endedAt, endedPeriod, openPeriod, type Period, periodFrom, reached, withSample } from '../period.ts'

/** The last of the due values that a meter has reached; undefined before the first. @param every 0: there is one only */
function lastDue(value: number, first: number, every: number): number | undefined {
  if (value < first) return undefined
  return every > 0 ? first + Math.floor((value - first) / every) * every : first
}

/** The odometer, once two readings agree, and the last due kilometre that was found. */
type Driven = { readonly km: number; readonly timeMs: number; readonly foundKm: number | null }

const MILEAGE = requiredEventType('MILEAGE').id
/** It may be rounded to whole kilometres. */
const ROUNDED_KM = 1

export const serviceDueKm: KindOfRule = rule => {
  const aheadKm = numberOf(rule, 'aheadKm')
  const firstKm = numberOf(rule, 'dueKm')
  const everyKm = numberOf(rule, 'everyKm')
  return detector<Driven>({
    types: [MILEAGE],
    longestGapMs: ANY_GAP_MS,
    step(driven, observation) {
      const { timeMs } = observation
      const km = observation.reading.odometerKm
      if (km === undefined) return driven ? goesOn(driven) : NOTHING
      const mostKm = driven ? driven.km + ROUNDED_KM + (FASTEST_M_PER_MS * (timeMs - driven.timeMs)) / 1000 : 0
      const isAgreed = driven !== null && km >= driven.km && km <= mostKm
      const due = isAgreed ? lastDue(km + aheadKm, firstKm, everyKm) : undefined
      if (due === undefined || due <= (driven?.foundKm ?? Number.NEGATIVE_INFINITY))
        return { state: { km, timeMs, foundKm: driven?.foundKm ?? null }, done: [] }
      return { state: { km, timeMs, foundKm: due }, done: [reached(observation, km, String(due))] }
    },
    goingOn: () => [],
    end: () => [],
  })
}

/** How long the engine has run since the rule began, and the last due hour that was found. */
type Run = { readonly runMs: number; readonly foundHours: number | null }

const HOUR_MS = 3_600_000

export const serviceDueHours: KindOfRule = rule => {
  const startMs = numberOf(rule, 'engineHours') * HOUR_MS
  const firstHours = numberOf(rule, 'dueHours')
  const everyHours = numberOf(rule, 'everyHours')
  return detector<Run>({
    types: undefined,
    longestGapMs: ANY_GAP_MS,
    step(before, observation) {
      const { runMs, foundHours } = before ?? { runMs: startMs, foundHours: null }
      const intervalMs = sinceBeforeMs(observation)
      const ran = observation.before !== null && isEngineRunning(observation.before) === true
      const isKnown = intervalMs !== undefined && intervalMs <= LONGEST_DRIVING_GAP_MS
      if (!ran || !isKnown) return before ? goesOn(before) : { state: { runMs, foundHours }, done: [] }
      const after = runMs + intervalMs
      const due = lastDue(after / HOUR_MS, firstHours, everyHours)
      if (due === undefined || due <= (foundHours ?? Number.NEGATIVE_INFINITY))
        return { state: { runMs: after, foundHours }, done: [] }
      const hours = Math.round((after / HOUR_MS) * 100) / 100
      return { state: { runMs: after, foundHours: due }, done: [reached(observation, hours, String(due))] }
    },
    goingOn: () => [],
    end: () => [],
  })
}

/** How many of the dates were due at the last sample. */
type Passed = { readonly dates: number }

const DAY_MS = 86_400_000

/** A date that is due, then every so many months: at the first sample from then on, or as many days ahead. Days are those of UTC. */
export const serviceDueDate: KindOfRule = rule => {
  const first = textOf(rule, 'dueDate')
  const everyMonths = numberOf(rule, 'everyMonths')
  const aheadMs = numberOf(rule, 'aheadDays') * DAY_MS
  const mostDates = everyMonths > 0 ? Number.POSITIVE_INFINITY : 1
  const known = new Map<number, number>()
  const dueMs = (date: number) => {
    const atMs = known.get(date) ?? monthsAfterMs(first, date * everyMonths)
    known.set(date, atMs)
    return atMs
  }
  return detector<Passed>({
    types: undefined,
    longestGapMs: ANY_GAP_MS,
    step(passed, observation) {
      const before = passed?.dates ?? 0
      const nowMs = observation.timeMs + aheadMs
      let dates = before
      if (dates === 0 && everyMonths > 0 && dueMs(0) <= nowMs)
        // A month has at most 31 days, so this passes none.
        dates = Math.floor((nowMs - dueMs(0)) / (everyMonths * 31 * DAY_MS))
      while (dates < mostDates && dueMs(dates) <= nowMs) dates++
      if (passed && dates === before) return goesOn(passed)
      const last = dueMs(dates - 1)
      const days = Math.floor((last - observation.timeMs) / DAY_MS)
      const detail = new Date(last).toISOString().slice(0, 10)
      return { state: { dates }, done: dates > before ? [reached(observation, days, detail)] : [] }
    },
    goingOn: () => [],
    end: () => [],
  })
}

/** Midnight of a date some months later, or of the last day of a shorter month. */
function monthsAfterMs(date: string, months: number): number {
  const from = new Date(`${date}T00:00:00Z`)
  const [year, month, day] = [from.getUTCFullYear(), from.getUTCMonth() + months, from.getUTCDate()]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(day, lastDay))
}

/** The distance and the days that remain until a service, as a car reports them. */
const REMAINING = [
  { detail: 'INSPECTION', type: 'INSPECTION_REMAINING_DISTANCE', most: 'remainingKm' },
  { detail: 'INSPECTION', type: 'INSPECTION_REMAINING_TIME', most: 'remainingDays' },
  { detail: 'OIL_CHANGE', type: 'OIL_CHANGE_REMAINING_DISTANCE', most: 'remainingKm' },
  { detail: 'OIL_CHANGE', type: 'OIL_CHANGE_REMAINING_TIME', most: 'remainingDays' },
] as const satisfies readonly { detail: string; type: EventTypeName; most: string }[]

/** By the name of the event type: since when it has been due. */
type Due = { readonly [type: string]: Period }

/** From when the car itself reports that a service is due soon until it no longer does. The detail is the service. */
export const serviceDueByCar: KindOfRule = rule => {
  const rows = REMAINING.map(row => ({
    ...row,
    eventType: requiredEventType(row.type),
    mostValue: numberOf(rule, row.most),
  }))
  const byService = (due: Due) => {
    const periods = new Map<string, Period>()
    for (const { detail, type } of rows) {
      const period = due[type]
      const known = periods.get(detail)
      if (period && (!known || period.startMs < known.startMs)) periods.set(detail, period)
    }
    return periods
  }
  return detector<Due>({
    types: rows.map(({ eventType }) => eventType.id),
    longestGapMs: ANY_GAP_MS,
    step(before, observation) {
      const after: Record<string, Period> = {}
      const earlier = byService(before ?? {})
      for (const { detail, type, eventType, mostValue } of rows) {
        const remaining = numberIn(observation, eventType)
        const known = before?.[type]
        if (remaining === undefined) {
          if (known) after[type] = known
        } else if (remaining <= mostValue) {
          const period = known ?? earlier.get(detail)
          after[type] = period ? withSample(period, observation, null) : periodFrom(observation, null)
        }
      }
      const left = byService(after)
      const done = [...earlier].flatMap(([detail, period]) =>
        left.has(detail) ? [] : [{ ...endedAt(period, observation.now), detail }],
      )
      return { state: left.size > 0 ? after : null, done }
    },
    goingOn: due => [...byService(due)].map(([detail, period]) => ({ ...openPeriod(period), detail })),
    end: due => [...byService(due)].map(([detail, period]) => ({ ...endedPeriod(period), detail })),
  })
}
