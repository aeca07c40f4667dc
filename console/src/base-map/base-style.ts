import type { StyleSpecification } from 'maplibre-gl'
import { fetchJson, serviceSettings } from '../api/service-settings.ts'
import type { Language } from '../language/language.ts'
import { outlinesStyle } from './outlines.ts'

interface BaseStyle {
  readonly style: StyleSpecification
  /** Where the map comes from: the style of another server, a map of this service, or what every Tacho has. */
  readonly origin: 'otherServer' | 'ownMap' | 'outlines'
  /** Another server is set, but its style could not be loaded. */
  readonly isReplacement: boolean
}

/** The base map of this service: the style that its settings name (`MAP_STYLE_URL`), else what the service has itself. */
export async function baseStyle(language: Language, isDark: boolean): Promise<BaseStyle> {
  // Needed in nearly every case, so it is on its way before that is known.
  const outlines = outlinesStyle(language, isDark)
  outlines.catch(() => undefined)
  const { mapStyleUrl, map } = await serviceSettings()
  if (mapStyleUrl !== null) {
    const style = await fetchJson(mapStyleUrl).catch(() => undefined)
    if (style !== undefined)
      return {
        style: withWholeAddresses(style as StyleSpecification, mapStyleUrl),
        origin: 'otherServer',
        isReplacement: false,
      }
  }
  const isReplacement = mapStyleUrl !== null
  if (!map) return { style: await outlines, origin: 'outlines', isReplacement }
  // Loaded only here: few have a map of their own, and its style is as large as a page.
  const { withOwnMap } = await import('./map-file-style.ts')
  return { style: withOwnMap(await outlines, map, language, isDark), origin: 'ownMap', isReplacement }
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
