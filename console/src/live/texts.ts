import { defineTexts } from '../language/language.ts'

export const liveTexts = defineTexts('live', { asOf: (age: string) => `As of ${age}` })
