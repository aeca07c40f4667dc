import type { Rule, RuleKind } from '../api/types.ts'
import { dayOf, startOfDayMs } from '../calendar/days.ts'
import { formatNumber, shownUnit, type Texts, timeZoneHere } from '../language/language.ts'
import type { RuleParameter } from './rules.tsx'

/** What is in the fields of a parameter: texts of numbers, words and event types, switches, ids of areas. */
export type ParameterDraft = string | boolean | readonly string[]

/** A rule as it is being written. */
export interface RuleDraft {
  readonly name: string
  readonly kind: RuleKind['name']
  readonly values: Readonly<Record<string, ParameterDraft>>
  readonly severity: RuleKind['severity']
  /** null: all of them. */
  readonly vehicleIds: readonly string[] | null
  /** null: always. */
  readonly hours: readonly HoursRow[] | null
  readonly timeZone: string
  /** From which day on it holds, `YYYY-MM-DD`; undefined for from now on. */
  readonly fromDay: string | undefined
}

/**
 * A saved rule, to be changed; without one a new rule of the kind with its defaults, named like the kind.
 *
 * @param given parameters of a new rule, as far as its kind has them
 */
export function draftOf(kind: RuleKind, rule?: Rule, given: Rule['parameters'] = {}): RuleDraft {
  const { name, parameters, severity, vehicleIds, hours } = rule ?? {
    name: kind.title,
    parameters: given,
    severity: kind.severity,
    vehicleIds: null,
    hours: null,
  }
  return {
    name,
    kind: kind.name,
    values: valuesOf(kind, parameters),
    severity,
    vehicleIds,
    hours: hours && rowsOf(hours.days),
    timeZone: hours?.timeZone ?? timeZoneHere(),
    fromDay: undefined,
  }
}

/** The same draft for another kind: what does not depend on the kind stays. */
export function withKind(draft: RuleDraft, before: RuleKind, kind: RuleKind): RuleDraft {
  const { vehicleIds, hours, timeZone, fromDay } = draft
  const isNamedLikeKind = draft.name.trim() === '' || draft.name === before.title
  const name = isNamedLikeKind ? kind.title : draft.name
  return { ...draftOf(kind, undefined, { areas: draft.values.areas }), name, vehicleIds, hours, timeZone, fromDay }
}

function valuesOf(kind: RuleKind, given: Readonly<Record<string, unknown>>): RuleDraft['values'] {
  return Object.fromEntries(
    kind.parameters.map(each => [each.name, fieldOf(given[each.name] ?? each.defaultValue, each.unit ?? '')]),
  )
}

function fieldOf(value: unknown, unit: string): ParameterDraft {
  if (typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.map(String)
  if (typeof value === 'number') return textOfNumber(value, unit)
  return typeof value === 'string' ? value : ''
}

/** A number of the API in the unit of the person, with as few digits as mean the same: 130 km/h are 80.78 mph. */
function textOfNumber(value: number, unit: string): string {
  const shown = shownUnit(unit).convert(value)
  const texts = [0, 1, 2, 3, 4].map(digits => String(Number(shown.toFixed(digits))))
  return texts.find(text => Math.abs(numberOf(text, unit) - value) < 0.5 / HUNDREDTHS) ?? String(shown)
}

const HUNDREDTHS = 100

/** The number of the API that a text of the person says, with point or comma; NaN if it says none. */
function numberOf(text: string, unit: string): number {
  const plain = text.trim().replace(',', '.')
  const typed = plain === '' ? Number.NaN : Number(plain)
  const { unit: shown, convert } = shownUnit(unit)
  if (shown === unit) return typed
  const zero = convert(0)
  return Math.round(((typed - zero) / (convert(1) - zero)) * HUNDREDTHS) / HUNDREDTHS
}

export function isNumeric({ dataType }: RuleParameter): boolean {
  return dataType === 'number' || dataType === 'integer'
}

/** The least and greatest number that a parameter takes, in the unit of the person; undefined where all are. */
export function rangeOf({ minimum, maximum, unit }: RuleParameter): readonly [least: string, most: string] | undefined {
  const { convert } = shownUnit(unit ?? '')
  if (minimum === null || maximum === null) return undefined
  return [formatNumber(convert(minimum)), formatNumber(convert(maximum))]
}

type FaultTexts = Texts<'rules'>['faults']

/** What is wrong with a draft by the path of the field, such as `name` or `values.limitKmh`. */
export function faultsOf(draft: RuleDraft, kind: RuleKind, nowMs: number, texts: FaultTexts): Record<string, string> {
  const { name, vehicleIds, hours, fromDay } = draft
  const faults = {
    name: name.trim() === '' && texts.name,
    vehicleIds: vehicleIds?.length === 0 && texts.cars,
    hours: hours && (hours.length === 0 || !hours.every(isWholeRow)) && texts.hours,
    fromDay: fromDay !== undefined && (fromDay === '' || fromDay > dayOf(nowMs)) && texts.from,
    ...Object.fromEntries(
      kind.parameters.map(each => [`values.${each.name}`, parameterFault(each, draft.values[each.name], texts)]),
    ),
  }
  return Object.fromEntries(Object.entries(faults).flatMap(([field, fault]) => (fault ? [[field, fault]] : [])))
}

function parameterFault(parameter: RuleParameter, value: ParameterDraft | undefined, texts: FaultTexts) {
  const { dataType, minimum, maximum, unit } = parameter
  if (typeof value !== 'string') return undefined
  if (value.trim() === '') return texts.missing
  if (!isNumeric(parameter)) return undefined
  const number = numberOf(value, unit ?? '')
  if (Number.isNaN(number)) return texts.number
  if (dataType === 'integer' && !Number.isInteger(number)) return texts.integer
  const isIn = number >= (minimum ?? number) && number <= (maximum ?? number)
  const range = rangeOf(parameter)
  return isIn || !range ? undefined : texts.range(...range)
}

/** What a draft without faults asks for, as `POST /rules` and `/rules/preview` take it. */
export function askedBy(draft: RuleDraft, kind: RuleKind) {
  const { severity, vehicleIds, hours, timeZone } = draft
  return {
    kind: kind.name,
    parameters: Object.fromEntries(
      kind.parameters.map(parameter => {
        const { name, unit } = parameter
        const value = draft.values[name]
        return [name, isNumeric(parameter) && typeof value === 'string' ? numberOf(value, unit ?? '') : value]
      }),
    ),
    severity,
    vehicleIds: vehicleIds && [...vehicleIds],
    hours: hours && { timeZone, days: daysOf(hours) },
  }
}

/** The body with which a draft without faults is saved. */
export function ruleToSave(draft: RuleDraft, kind: RuleKind) {
  const { name, fromDay } = draft
  return {
    name: name.trim(),
    ...askedBy(draft, kind),
    ...(fromDay === undefined ? {} : { fromTimestamp: new Date(startOfDayMs(fromDay)).toISOString() }),
  }
}

type DaysOfRule = NonNullable<Rule['hours']>['days']

/** Hours as people enter them: on some days from one time to another, over midnight if that is not later. */
export interface HoursRow {
  /** 0 is Monday. */
  readonly days: readonly number[]
  /** `HH:MM`; a `to` of `00:00` is the end of the day. */
  readonly from: string
  readonly to: string
}

const DAYS = [0, 1, 2, 3, 4, 5, 6]
const BEGIN = '00:00'
const END = '24:00'

/** Whether both times are given and form an interval. */
export function isWholeRow({ days, from, to }: HoursRow): boolean {
  return days.length > 0 && from !== '' && to !== '' && (from !== to || to === BEGIN)
}

/** Whether it lasts until the next day. */
export function isOverMidnight({ from, to }: HoursRow): boolean {
  return from !== '' && to !== '' && to !== BEGIN && to < from
}

/** The hours of each day, Monday first, as the API takes them: in order, and none overlaps another. */
export function daysOf(rows: readonly HoursRow[]): DaysOfRule {
  const intervals = DAYS.map((): { from: string; to: string }[] => [])
  for (const row of rows)
    for (const day of row.days) {
      const isOver = isOverMidnight(row)
      intervals[day]?.push({ from: row.from, to: isOver || row.to === BEGIN ? END : row.to })
      if (isOver) intervals[(day + 1) % 7]?.push({ from: BEGIN, to: row.to })
    }
  return intervals.map(joined)
}

function joined(intervals: DaysOfRule[number]): DaysOfRule[number] {
  const all: { from: string; to: string }[] = []
  for (const { from, to } of intervals.toSorted((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = all.at(-1)
    if (last && from <= last.to) last.to = to > last.to ? to : last.to
    else all.push({ from, to })
  }
  return all
}

/** The same hours in as few rows as their times allow. */
export function rowsOf(days: DaysOfRule): readonly HoursRow[] {
  const left = days.map(intervals => [...intervals])
  const rows = new Map<string, { days: number[]; from: string; to: string }>()
  const add = (day: number, from: string, to: string) => {
    const row = rows.get(`${from} ${to}`) ?? { days: [], from, to: to === END ? BEGIN : to }
    row.days.push(day)
    rows.set(`${from} ${to}`, row)
  }
  // What continues after midnight belongs to the day before.
  const isNight = (day: number) => {
    const evening = days[day]?.at(-1)
    const morning = days[(day + 1) % 7]?.[0]
    return evening?.to === END && morning?.from === BEGIN && morning.to < evening.from
  }
  for (const day of DAYS) if (isNight((day + 6) % 7)) left[day]?.shift()
  for (const [day, intervals] of left.entries())
    for (const { from, to } of intervals) {
      const goesOn = to === END && isNight(day)
      add(day, from, goesOn ? (days[(day + 1) % 7]?.[0]?.to ?? to) : to)
    }
  return [...rows.values()]
}
