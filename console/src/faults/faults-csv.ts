import { type CsvCell, csvTime } from '../export/csv.ts'
import type { CsvSource } from '../export/use-csv-export.ts'
import type { Texts } from '../language/language.ts'
import { timeZoneHere } from '../language/profile.ts'
import { codeSystemOf } from './code-system.ts'
import type { Fault } from './fault.ts'

/** The codes that the page shows. */
export function faultsCsv(faults: readonly Fault[], texts: Texts<'faults'>, fileName: string): CsvSource {
  return {
    fileName,
    titles: texts.csvTitles(timeZoneHere()),
    pages: async function* () {
      yield faults.map(fault => faultRow(fault, texts))
    },
  }
}

/** In the order of `csvTitles`. */
function faultRow(fault: Fault, texts: Texts<'faults'>): readonly CsvCell[] {
  const known = codeSystemOf(fault.code)
  return [
    fault.carName,
    fault.vehicleId,
    fault.code,
    fault.text,
    known && texts.systems[known.system],
    known && (known.isGeneric ? texts.yes : texts.no),
    fault.ecu,
    texts.kinds[fault.kind],
    csvTime(fault.sinceMs),
    fault.goneMs === undefined ? undefined : csvTime(fault.goneMs),
  ]
}
