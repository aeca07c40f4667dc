import { defineTexts } from '../language/language.ts'

export const carSelectTexts = defineTexts(
  { car: 'Car', all: 'All cars', none: 'No such car' },
  { car: 'Auto', all: 'Alle Autos', none: 'Kein solches Auto' },
)
