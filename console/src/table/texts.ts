import { defineTexts } from '../language/language.ts'

export const tableTexts = defineTexts(
  { sortBy: 'Sort by', ascending: 'Ascending: turn around', descending: 'Descending: turn around' },
  { sortBy: 'Sortieren nach', ascending: 'Aufsteigend: umkehren', descending: 'Absteigend: umkehren' },
)
