import type { StyleSpecification } from 'maplibre-gl'
import type { Language } from '../language/language.ts'
import { outlinesStyle } from './outlines.ts'

interface BaseStyle {
  readonly style: StyleSpecification
  /** `replacement`: a base map is set, but could not be loaded. */
  readonly origin: 'settings' | 'outlines' | 'replacement'
}

/** After this long without an answer a style counts as out of reach: many networks swallow requests to the outside. */
const PATIENCE_MS = 6000

/** The base map of this service: the style that its settings name (`MAP_STYLE_URL`), else outlines of countries. */
export async function baseStyle(language: Language, isDark: boolean): Promise<BaseStyle> {
  const styleUrl = await configuredStyleUrl()
  if (styleUrl !== null) {
    try {
      return {
        style: withWholeAddresses((await fetchJson(styleUrl)) as StyleSpecification, styleUrl),
        origin: 'settings',
      }
    } catch {
      return { style: await outlinesStyle(language, isDark), origin: 'replacement' }
    }
  }
  return { style: await outlinesStyle(language, isDark), origin: 'outlines' }
}

let asked: Promise<string | null> | undefined

/** Settings change only with a restart of the service, so they are fetched once. */
async function configuredStyleUrl(): Promise<string | null> {
  asked ??= fetchJson('/console/settings').then(settings => (settings as { mapStyleUrl: string | null }).mapStyleUrl)
  try {
    return await asked
  } catch {
    asked = undefined
    return null
  }
}

async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
  if (!response.ok) throw new Error(`${url}: status ${response.status}`)
  return response.json()
}

/** The map library takes addresses inside a style as they are; a style may also give them relative to its own. */
function withWholeAddresses(style: StyleSpecification, styleUrl: string): StyleSpecification {
  // Braces such as {z} must survive, which URL escapes.
  const whole = (address: string) => new URL(address, styleUrl).href.replaceAll('%7B', '{').replaceAll('%7D', '}')
  const sources = Object.entries(style.sources).map(([name, source]) => [
    name,
    'url' in source && source.url !== undefined ? { ...source, url: whole(source.url) } : source,
  ])
  return {
    ...style,
    sources: Object.fromEntries(sources),
    ...(style.glyphs === undefined ? {} : { glyphs: whole(style.glyphs) }),
    ...(typeof style.sprite === 'string' ? { sprite: whole(style.sprite) } : {}),
  }
}
