import type { Vehicle } from '../../api/types.ts'
import { type HistorySearch, MOST_SERIES, typesOf } from './history-search.ts'

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
