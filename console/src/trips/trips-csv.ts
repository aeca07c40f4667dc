import { everyPage } from '../export/every-page.ts'
import type { CsvSource } from '../export/use-csv-export.ts'
import type { Texts } from '../language/language.ts'
import { timeZoneHere } from '../language/profile.ts'
import { tripRow } from './trip-row.ts'
import { askTripPage, type TripFilter } from './trips-query.ts'

/** Larger than for the eye: fewer requests, each still bounded. */
const PAGE_SIZE = 500

interface TripsCsvOptions {
  readonly filter: TripFilter
  readonly carName: (vehicleId: string) => string
  readonly texts: Texts<'trips'>
  readonly fileName: string
}

/** All trips of the filter, the newest first, as the list has them. */
export function tripsCsv({ filter, carName, texts, fileName }: TripsCsvOptions): CsvSource {
  const { fromMs } = filter
  return {
    fileName,
    titles: texts.csvTitles(timeZoneHere()),
    pages: async function* (signal) {
      const ask = async (next: string | undefined) => {
        const page = await askTripPage(filter, next, { signal, pageSize: PAGE_SIZE })
        const items = page.trips.filter(trip => Date.parse(trip.tripStartTimestamp) >= fromMs)
        const isLast = items.length < page.trips.length
        return { items: items.toReversed(), next: isLast ? undefined : page.next }
      }
      for await (const trips of everyPage(ask, signal)) yield trips.map(trip => tripRow(trip, carName(trip.vehicleId)))
    },
  }
}
