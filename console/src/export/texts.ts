import { defineTexts } from '../language/language.ts'

export const exportTexts = defineTexts(
  {
    exportCsv: 'Export CSV',
    cancel: 'Cancel the export',
    rows: (count: string) => `${count} rows …`,
    failed: 'The export did not work:',
  },
  {
    exportCsv: 'CSV-Export',
    cancel: 'Export abbrechen',
    rows: count => `${count} Zeilen …`,
    failed: 'Der Export hat nicht geklappt:',
  },
)
