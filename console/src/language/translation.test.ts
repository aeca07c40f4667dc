import { describe, expect, it } from 'vitest'
import { english, type Translation } from '../translations/en.ts'
import { LANGUAGES } from './language.ts'

/** What the service says in English: only sentences that the console says otherwise have one there. */
const OPEN = '.operation.sentences'

/** As many words in a row are not the same in two languages by chance. */
const SENTENCE = /\S+(\s+\S+){3}/

describe.each(LANGUAGES.filter(language => language !== 'en'))('the translation %s', async language => {
  const { default: translation }: { default: Translation } = await import(`../translations/${language}.ts`)

  it('has every text, and none that nobody uses', () => {
    expect(namesIn(translation, '')).toEqual(namesIn(english, ''))
  })

  it('has no sentence that is still English', () => {
    const known = new Set(sentencesIn(english))
    expect(sentencesIn(translation).filter(text => known.has(text))).toEqual([])
  })
})

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
