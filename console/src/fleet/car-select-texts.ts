import { defineTexts } from '../language/language.ts'

export const carSelectTexts = defineTexts('carSelect', { car: 'Car', all: 'All cars', none: 'Nothing found' })
