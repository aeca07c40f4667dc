import { type CsvCell, csvTime, csvTimeZone } from '../export/csv.ts'
import type { CsvSource } from '../export/use-csv-export.ts'
import type { CarRow } from './per-car.tsx'
import type { Bin, Figures } from './summaries.ts'
import type { StatisticsTexts } from './texts.ts'

/** A line a bin. */
export function binsCsv(bins: readonly Bin[], texts: StatisticsTexts, fileName: string): CsvSource {
  return {
    fileName,
    titles: texts.csvTitles(csvTimeZone()),
    pages: async function* () {
      yield bins.map(({ startMs, summary: { trips, distance, duration } }): readonly CsvCell[] => [
        csvTime(startMs),
        distance.sum,
        hours(duration.sum),
        trips,
        ...(trips === 0 ? [] : perTrip(distance)),
        ...(trips === 0 ? [] : perTrip(duration).map(seconds => rounded(seconds / 60, 1))),
      ])
    },
  }
}

/** A line a car. */
export function carsCsv(cars: readonly CarRow[], texts: StatisticsTexts, fileName: string): CsvSource {
  return {
    fileName,
    titles: texts.csvCarsTitles,
    pages: async function* () {
      yield cars.map(({ name, vehicleId, model, summary: { trips, distance, duration } }): readonly CsvCell[] => [
        name,
        vehicleId,
        model,
        distance.sum,
        hours(duration.sum),
        trips,
        rounded(distance.average, 3),
      ])
    },
  }
}

function perTrip({ average, most, least }: Figures): readonly number[] {
  return [rounded(average, 3), most, least]
}

function hours(seconds: number): number {
  return rounded(seconds / 3600, 2)
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
