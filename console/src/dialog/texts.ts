import { defineTexts } from '../language/language.ts'

export const dialogTexts = defineTexts(
  { cancel: 'Cancel', close: 'Close', save: 'Save' },
  { cancel: 'Abbrechen', close: 'Schließen', save: 'Speichern' },
)
