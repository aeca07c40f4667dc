import { defineTexts } from '../language/language.ts'

export const calendarTexts = defineTexts({ from: 'From', to: 'To' }, { from: 'Von', to: 'Bis' })
