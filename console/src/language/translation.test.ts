import { describe, expect, it } from 'vitest'
import { LANGUAGES, loadLanguage, type Texts, textsIn } from './language.ts'
import type { Translation } from './translation.ts'

const TEXTS = import.meta.glob<Readonly<Record<string, unknown>>>(
  ['../**/*texts.ts', '../measurements/{event-type-names,groups}.ts'],
  { eager: true },
)
const PLACES = Object.values(TEXTS).flatMap(module => Object.values(module).filter(isTexts))

/** What the service says in English: only sentences that the console says otherwise have one there. */
const OPEN = 'operation.sentences'

/** As many words in a row are not the same in two languages by chance. */
const SENTENCE = /\S+(\s+\S+){3}/

describe.each(LANGUAGES.filter(language => language !== 'en'))('the translation %s', language => {
  it('has every text, and none that nobody uses', async () => {
    await loadLanguage(language)
    for (const place of PLACES)
      expect(namesIn(textsIn(place, language), place.place)).toEqual(namesIn(place.en, place.place))
    const translation: { default: Translation } = await import(`../translations/${language}.ts`)
    expect(Object.keys(translation.default).sort()).toEqual(PLACES.map(({ place }) => place).sort())
  })

  it('has no sentence that is still English', async () => {
    await loadLanguage(language)
    for (const place of PLACES) {
      const english = new Set(sentencesIn(place.en))
      expect(sentencesIn(textsIn(place, language)).filter(text => english.has(text))).toEqual([])
    }
  })
})

it('the texts of every place are found', () => {
  expect(PLACES.length).toBeGreaterThan(30)
})

function isTexts(value: unknown): value is Texts<unknown> {
  return typeof value === 'object' && value !== null && 'place' in value && 'en' in value
}

/** The names of all texts, with whether it is one with parts to fill in; empty texts are named as such. */
function namesIn(texts: unknown, path: string): readonly string[] {
  if (path === OPEN) return [path]
  if (typeof texts === 'object' && texts !== null)
    return Object.entries(texts)
      .flatMap(([name, part]) => namesIn(part, `${path}.${name}`))
      .sort()
  return [`${path} (${texts === '' ? 'empty' : typeof texts})`]
}

function sentencesIn(texts: unknown): readonly string[] {
  if (typeof texts === 'string') return SENTENCE.test(texts) ? [texts] : []
  return typeof texts === 'object' && texts !== null ? Object.values(texts).flatMap(sentencesIn) : []
}
