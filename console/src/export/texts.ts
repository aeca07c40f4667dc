import { defineTexts } from '../language/language.ts'

export const exportTexts = defineTexts('export', {
  exportCsv: 'Export CSV',
  cancel: 'Cancel the export',
  rows: (count: string) => `${count} rows …`,
  failed: 'The export did not work:',
})
