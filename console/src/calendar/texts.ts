import { defineTexts } from '../language/language.ts'

export const calendarTexts = defineTexts(
  { days: 'From … to …', choose: 'Choose first and last day' },
  { days: 'Von … bis …', choose: 'Ersten und letzten Tag wählen' },
)
