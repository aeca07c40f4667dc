import type { Vehicle } from '../../api/types.ts'
import type { TimeView } from '../../chart/chart-data.ts'

const HOUR_MS = 3_600_000

/** The ranges that have a name: they end now, and move on with it. */
const RANGES = { '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS, '30d': 30 * 24 * HOUR_MS } as const
type RangeName = keyof typeof RANGES
export const RANGE_NAMES = ['24h', '7d', '30d'] as const satisfies readonly RangeName[]

const DEFAULT_RANGE: RangeName = '24h'

/** More lines than this cannot be distinguished. */
export const MOST_SERIES = 6

/** What the address of a car says of its chart, so that a link shows the same one. */
export interface HistorySearch {
  /** Event types, separated by commas; empty: none; absent: those that say most. */
  readonly series?: string
  readonly range?: RangeName
  /** ISO 8601, both or none; they are shown instead of `range`, to which the way back leads. */
  readonly from?: string
  readonly to?: string
  /** The chart, unless the address says otherwise. */
  readonly show?: 'table'
}

/** Reads the address as far as it makes sense; the rest counts as absent. */
export function readHistorySearch({ series, range, from, to, show }: Record<string, unknown>): HistorySearch {
  const [fromMs, toMs] = [instantOf(from), instantOf(to)]
  return {
    series: typeof series === 'string' ? typesOf(series).join(',') : undefined,
    range: RANGE_NAMES.find(name => name === range),
    ...(fromMs < toMs ? customRange({ fromMs, toMs }) : NAMED_RANGE),
    show: show === 'table' ? show : undefined,
  }
}

/** The named range, or `custom` for a chosen one. */
export function rangeNameOf({ range, from }: HistorySearch): RangeName | 'custom' {
  return from === undefined ? (range ?? DEFAULT_RANGE) : 'custom'
}

export function viewOf(search: HistorySearch, nowMs: number): TimeView {
  const name = rangeNameOf(search)
  if (name === 'custom') return { fromMs: instantOf(search.from), toMs: instantOf(search.to) }
  return { fromMs: nowMs - RANGES[name], toMs: nowMs }
}

export function customRange({ fromMs, toMs }: TimeView): Required<Pick<HistorySearch, 'from' | 'to'>> {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
}

/** The event types of the address: at most as many as a chart has lines, each once. */
export function typesOf(series: string): readonly string[] {
  const names = series.split(',').filter(name => /^[A-Z][A-Z0-9_]*$/.test(name))
  return [...new Set(names)].slice(0, MOST_SERIES)
}

/** What takes a chosen range back: the named one is shown. */
export const NAMED_RANGE = { from: undefined, to: undefined } as const satisfies HistorySearch

function instantOf(given: unknown): number {
  return typeof given === 'string' ? Date.parse(given) : Number.NaN
}

/** What says most of a car, as far as it has it: one of each row. */
const TELLING = [
  ['VEHICLE_SPEED_AVERAGE', 'GPS_SPEED'],
  ['BATTERY_VOLTAGE'],
  ['HV_BATTERY_SOC', 'FUEL_LEVEL_PERCENT', 'FUEL_LEVEL'],
]

/** The event types that the chart shows: those of the address, else those that say most of this car. */
export function shownTypes({ series }: HistorySearch, { lastEvents }: Pick<Vehicle, 'lastEvents'>): readonly string[] {
  if (series !== undefined) return typesOf(series)
  const measured = new Set(lastEvents.map(event => event.eventType))
  return TELLING.flatMap(types => types.find(type => measured.has(type)) ?? [])
}

/** The types with one more or, if it is there, one less; a full chart gives up its oldest line. */
export function toggled(types: readonly string[], eventType: string): readonly string[] {
  if (types.includes(eventType)) return types.filter(type => type !== eventType)
  return [...types, eventType].slice(-MOST_SERIES)
}
