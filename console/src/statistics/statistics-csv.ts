import type { ExportCell } from '../export/files.ts'
import type { CarRow } from './per-car.tsx'
import type { Bin, Figures } from './summaries.ts'

/** A bin in the order of `csvTitles`. */
export function binCells({ startMs, summary: { trips, distance, duration } }: Bin): readonly ExportCell[] {
  return [
    new Date(startMs),
    distance.sum,
    hours(duration.sum),
    trips,
    ...perTrip(trips, distance),
    ...perTrip(trips, duration).map(seconds => seconds && rounded(seconds / 60, 1)),
  ]
}

/** A car in the order of `csvCarsTitles`. */
export function carCells({ name, vehicleId, model, summary }: CarRow): readonly ExportCell[] {
  const { trips, distance, duration } = summary
  return [name, vehicleId, model, distance.sum, hours(duration.sum), trips, rounded(distance.average, 3)]
}

/** Nothing where there was no trip. */
function perTrip(trips: number, { average, most, least }: Figures): readonly (number | undefined)[] {
  return trips === 0 ? [undefined, undefined, undefined] : [rounded(average, 3), most, least]
}

function hours(seconds: number): number {
  return rounded(seconds / 3600, 2)
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
