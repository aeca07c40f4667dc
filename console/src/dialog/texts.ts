import { defineTexts } from '../language/language.ts'

export const dialogTexts = defineTexts('dialog', { cancel: 'Cancel', close: 'Close', save: 'Save' })
