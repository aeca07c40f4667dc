import { lastMonths, rangeOfDays, readDays, type TimeRange } from '../calendar/days.ts'
import { BIN_SIZES, type BinSize, fittingSizes, startOfBinMs } from './bins.ts'

type Preset =
  /** So many bins, the one of now among them. */
  | { readonly size: BinSize; readonly count: number }
  /** The last whole part of the year of so many months. */
  | { readonly size: BinSize; readonly months: number }

/** The ranges that have a name; they move on with the days. */
const PRESETS = {
  days: { size: 'DAY', count: 30 },
  lastMonth: { size: 'DAY', months: 1 },
  lastQuarter: { size: 'WEEK', months: 3 },
  weeks: { size: 'WEEK', count: 12 },
  months: { size: 'MONTH', count: 12 },
  years: { size: 'YEAR', count: 5 },
} as const satisfies Readonly<Record<string, Preset>>
type PresetName = keyof typeof PRESETS
export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[]

export const SUBJECTS = ['distance', 'duration'] as const
export type Subject = (typeof SUBJECTS)[number]

/** What of the trips of a bin: the sum, or of one trip the average, the greatest, the least. */
export const MEASURES = ['sum', 'average', 'most', 'least'] as const
export type Measure = (typeof MEASURES)[number]

/** What the address of the page says, so that a link shows the same. Days are `YYYY-MM-DD`, both ends included. */
export interface StatisticsSearch {
  readonly car?: string
  readonly preset?: PresetName
  readonly from?: string
  readonly to?: string
  /** Size of the bins, for chosen days. */
  readonly by?: BinSize
  readonly subject?: Subject
  readonly measure?: Measure
}

/** Reads the address as far as it makes sense; the rest counts as absent. */
export function readStatisticsSearch(given: Readonly<Record<string, unknown>>): StatisticsSearch {
  const { car, preset, from, to, by, subject, measure } = given
  const days = readDays(from, to)
  const named = PRESET_NAMES.find(name => name === preset)
  const size = BIN_SIZES.find(known => known === by)
  const knownSubject = SUBJECTS.find(known => known === subject)
  const knownMeasure = MEASURES.find(known => known === measure)
  return {
    ...(typeof car === 'string' && car !== '' ? { car } : {}),
    ...(days ?? (named ? { preset: named } : {})),
    ...(days && size ? { by: size } : {}),
    ...(knownSubject ? { subject: knownSubject } : {}),
    ...(knownMeasure ? { measure: knownMeasure } : {}),
  }
}

/** The named range that is shown, or `custom` for chosen days. */
export function presetNameOf({ preset, from }: StatisticsSearch): PresetName | 'custom' {
  return from === undefined ? (preset ?? 'days') : 'custom'
}

export interface Period extends TimeRange {
  readonly size: BinSize
  /** The sizes that there is a choice of. */
  readonly sizes: readonly BinSize[]
}

/** The period in the time zone of the user. Too many chosen days for their bins get larger bins. */
export function periodOf(search: StatisticsSearch, nowMs: number): Period {
  const name = presetNameOf(search)
  if (name !== 'custom') {
    const preset: Preset = PRESETS[name]
    const { size } = preset
    if ('count' in preset)
      return { fromMs: startOfBinMs(nowMs, size, 1 - preset.count), toMs: undefined, size, sizes: [size] }
    return { ...lastMonths(preset.months, nowMs), size, sizes: [size] }
  }
  const { fromMs, toMs } = rangeOfDays(search)
  const sizes = fittingSizes(fromMs, toMs)
  const wanted = search.by ?? 'DAY'
  return { fromMs, toMs, size: sizes.includes(wanted) ? wanted : (sizes[0] ?? 'YEAR'), sizes }
}
