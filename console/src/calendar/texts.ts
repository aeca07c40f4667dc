import { defineTexts } from '../language/language.ts'

export const calendarTexts = defineTexts(
  { days: 'Days', choose: 'Choose first and last day' },
  { days: 'Tage', choose: 'Ersten und letzten Tag wählen' },
)
