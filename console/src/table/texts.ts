import { defineTexts } from '../language/language.ts'

export const tableTexts = defineTexts('table', {
  sortBy: 'Sort by',
  ascending: 'Ascending: reverse',
  descending: 'Descending: reverse',
})
