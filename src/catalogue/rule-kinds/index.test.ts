import { describe, expect, it } from 'vitest'
import { RULE_KINDS, type RuleParameter, ruleKindByName, type TextByLanguage } from './index.ts'

/** How the names of parameters end, by unit. */
const ENDINGS: Readonly<Record<string, RegExp>> = {
  'km/h': /Kmh$/,
  s: /S$/,
  min: /Minutes$/,
  h: /Hours$/,
  d: /Days$/,
  mo: /Months$/,
  km: /Km$/,
  m: /M$/,
  V: /V$/,
  '°C': /C$/,
  '%': /Percent$/,
  'm/s²': /Mps2$/,
}

const isText = ({ en, de }: TextByLanguage) => /^[A-Z0-9].+/.test(en) && /^[A-ZÄÖÜ0-9].+/.test(de)
const numbersOf = (parameters: readonly RuleParameter[]) =>
  parameters.flatMap(parameter => (parameter.type === 'number' || parameter.type === 'integer' ? [parameter] : []))

it('kinds of rules are found by name', () => {
  expect(new Set(RULE_KINDS.map(({ name }) => name)).size).toBe(RULE_KINDS.length)
  expect(ruleKindByName('SPEEDING')?.title.de).toBe('Zu schnell')
  expect(ruleKindByName('speeding')).toBeUndefined()
})

describe.each(RULE_KINDS.map(kind => [kind.name, kind] as const))('%s', (name, { title, description, parameters }) => {
  it('has texts in both languages', () => {
    expect(name).toMatch(/^[A-Z_]+$/)
    expect([title, description].map(isText)).toEqual([true, true])
    for (const text of [description.en, description.de]) expect(text).toMatch(/\.$/)
  })

  it('has parameters that say what they are', () => {
    expect(new Set(parameters.map(parameter => parameter.name)).size).toBe(parameters.length)
    for (const { label, reason } of parameters) {
      expect([label, reason].map(isText)).toEqual([true, true])
      for (const text of [reason.en, reason.de]) expect(text).toMatch(/\.$/)
    }
    for (const { name: parameter, unit } of numbersOf(parameters))
      expect(unit === '' || ENDINGS[unit]?.test(parameter)).toBe(true)
  })

  it('has defaults within their ranges', () => {
    const isInRange = ({ default: value, minimum, maximum, type }: ReturnType<typeof numbersOf>[number]) =>
      minimum < maximum &&
      (value === null || (minimum <= value && value <= maximum && (type === 'number' || Number.isInteger(value))))
    expect(numbersOf(parameters).filter(parameter => !isInRange(parameter))).toEqual([])
  })
})
