import { defineTexts } from '../language/language.ts'

export const calendarTexts = defineTexts('calendar', { from: 'From', to: 'To' })
