import { defineTexts } from '../language/language.ts'

export const carSelectTexts = defineTexts(
  { car: 'Car', all: 'All cars', none: 'No such car' },
  { car: 'Fahrzeug', all: 'Alle Fahrzeuge', none: 'Kein solches Fahrzeug' },
)
