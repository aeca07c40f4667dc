import { defineTexts } from '../language/language.ts'

export const liveTexts = defineTexts(
  { asOf: (age: string) => `As of ${age}` },
  { asOf: (age: string) => `Stand: ${age}` },
)
