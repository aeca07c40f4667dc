import { defineTexts } from '../language/language.ts'

export const tableTexts = defineTexts('table', {
  sortBy: 'Sort by',
  ascending: 'Ascending: turn around',
  descending: 'Descending: turn around',
})
