/** A language in which translated text exists. */
export type Language = 'en' | 'de'

const TAGS = { en: 'en-US', de: 'de-DE' } as const satisfies Record<Language, string>
const DEFAULT_LANGUAGE: Language = 'en'

/**
 * Picks the language of a reply from `Accept-Language` (RFC 9110, 12.5.4). Without a usable language, or for `*`, it is
 * the default; never an error.
 */
export function languageOf(header: string | undefined): Language {
  const wanted = (header ?? '')
    .split(',')
    .map(part => {
      const [tag = '', ...parameters] = part.split(';').map(piece => piece.trim().toLowerCase())
      const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ weight }) => weight > 0 && weight <= 1)
    .sort((a, b) => b.weight - a.weight)
  for (const { tag } of wanted) {
    const language = tag === '*' ? DEFAULT_LANGUAGE : tag.split('-')[0]
    if (language === 'en' || language === 'de') return language
  }
  return DEFAULT_LANGUAGE
}

/** The value of `Content-Language`. */
export function languageTag(language: Language): string {
  return TAGS[language]
}
