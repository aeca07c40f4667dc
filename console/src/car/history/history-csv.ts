import { askPage } from '../../api/request.ts'
import type { EventItem } from '../../api/types.ts'
import { timeZoneHere } from '../../calendar/days.ts'
import type { TimeView } from '../../chart/chart-data.ts'
import { type CsvCell, csvTime } from '../../export/csv.ts'
import { everyPage } from '../../export/every-page.ts'
import type { CsvSource } from '../../export/use-csv-export.ts'
import type { Language, Texts } from '../../language/language.ts'
import { eventTypeName, valueText } from '../../measurements/measurement.ts'

const PAGE_SIZE = 10_000

interface HistoryExport {
  readonly vehicleId: string
  readonly eventTypes: readonly string[]
  readonly view: TimeView
  readonly fileName: string
  readonly texts: Texts<'history'>
  readonly language: Language
}

/** Every value of the lines in view, not only those that the chart needs. */
export function historyCsv({ vehicleId, eventTypes, view, fileName, texts, language }: HistoryExport): CsvSource {
  const query = {
    vehicleId,
    eventType: eventTypes.join(','),
    fromTimestamp: new Date(view.fromMs).toISOString(),
    toTimestamp: new Date(view.toMs).toISOString(),
    maxResults: PAGE_SIZE,
  }
  return {
    fileName,
    titles: texts.csvTitles(timeZoneHere()),
    pages: async function* (signal) {
      const pages = everyPage(async next => {
        const page = await askPage('GET /cc/v2.0/events', { query, next, signal })
        return { items: page.reply, next: page.next }
      }, signal)
      for await (const events of pages) yield events.map(event => rowOf(event, language))
    },
  }
}

function rowOf({ event_type, recorded_timestamp, value, unit }: EventItem, language: Language): readonly CsvCell[] {
  return [
    csvTime(Date.parse(recorded_timestamp)),
    eventTypeName(event_type, language),
    typeof value === 'number' ? value : valueText({ eventType: event_type, value }, language),
    unit ?? '',
    event_type,
  ]
}
