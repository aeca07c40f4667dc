import type { RasterSourceSpecification, StyleSpecification } from 'maplibre-gl'
import { fetchJson, type RasterTiles, serviceSettings } from '../api/service-settings.ts'
import type { Language } from '../language/language.ts'
import { outlinesStyle } from './outlines.ts'

export interface BaseStyle {
  readonly style: StyleSpecification
  /** Where the map comes from: another server, a file of this service, or what every Tacho has. */
  readonly origin: 'otherServer' | 'ownMap' | 'outlines'
  /** Another server is set, but does not answer. */
  readonly isReplacement: boolean
  /** Whether administrators are to be asked which map they want. */
  readonly isUndecided: boolean
  readonly hasSatellite: boolean
}

export const SATELLITE = 'satellite'

/**
 * The base map of this service: that of the other server that was chosen or set, else what the service has itself.
 *
 * @param isLocal whether the other server is known not to answer
 */
export async function baseStyle(language: Language, isDark: boolean, isLocal: boolean): Promise<BaseStyle> {
  const { mapChoice, mapFixedBy, mapStyleUrl, mapStyleDarkUrl, mapTiles, map, satellite } = await serviceSettings()
  const whole = (style: StyleSpecification, origin: BaseStyle['origin']): BaseStyle => ({
    style: satellite ? withSatellite(style, satellite) : style,
    origin,
    isReplacement: origin !== 'otherServer' && (mapStyleUrl ?? mapTiles) !== null,
    isUndecided: mapChoice === null && mapFixedBy === null,
    hasSatellite: satellite !== null,
  })
  const outlines = outlinesStyle(language, isDark)
  const styleUrl = (isDark && mapStyleDarkUrl) || mapStyleUrl
  if (styleUrl !== null && !isLocal) {
    const style = await fetchJson(styleUrl).catch(() => undefined)
    if (style !== undefined) return whole(withWholeAddresses(style as StyleSpecification, styleUrl), 'otherServer')
  }
  if (mapTiles && !isLocal) return whole(withTiles(outlines, mapTiles, isDark), 'otherServer')
  if (!map) return whole(outlines, 'outlines')
  // Loaded only here: few have a map of their own, and its style is as large as a page.
  const { withOwnMap } = await import('./map-file-style.ts')
  return whole(withOwnMap(outlines, map, language, isDark), 'ownMap')
}

/** The sources of a style whose tiles another server sends. */
export function foreignSources({ sources }: StyleSpecification): ReadonlySet<string> {
  const foreign = Object.entries(sources).filter(([name, source]) => {
    if (name === SATELLITE || (source.type !== 'vector' && source.type !== 'raster')) return false
    return !(source.url ?? source.tiles?.[0] ?? '').startsWith(window.location.origin)
  })
  return new Set(foreign.map(([name]) => name))
}

const DIMMED = { 'raster-brightness-max': 0.7, 'raster-saturation': -0.5 }

/** Pictures upon the outlines, which are seen until they come; names are in the pictures. */
function withTiles(outlines: StyleSpecification, tiles: RasterTiles, isDark: boolean): StyleSpecification {
  const ground = outlines.layers.filter(({ type }) => type !== 'symbol')
  return {
    ...outlines,
    sources: { ...outlines.sources, streets: rasterSource(tiles) },
    layers: [...ground, { id: 'streets', type: 'raster', source: 'streets', paint: isDark ? DIMMED : {} }],
  }
}

/** Hidden until it is wanted; names stay above. */
function withSatellite(style: StyleSpecification, tiles: RasterTiles): StyleSpecification {
  const firstName = style.layers.findIndex(({ type }) => type === 'symbol')
  const at = firstName < 0 ? style.layers.length : firstName
  const layout = { visibility: 'none' } as const
  return {
    ...style,
    sources: { ...style.sources, [SATELLITE]: rasterSource(tiles) },
    layers: style.layers.toSpliced(at, 0, { id: SATELLITE, type: 'raster', source: SATELLITE, layout }),
  }
}

function rasterSource({ url, maxZoom, attribution }: RasterTiles): RasterSourceSpecification {
  return { type: 'raster', tiles: [url], tileSize: 256, maxzoom: maxZoom, attribution: attributionOf(attribution) }
}

/** The data of OpenStreetMap wants to be named with a link (openstreetmap.org/copyright). */
export function attributionOf(attribution: string): string {
  const others = escapedHtml(attribution.replace(/©? ?OpenStreetMap( contributors)?/, '').trim())
  if (!attribution.includes('OpenStreetMap')) return others
  const link = '<a href="https://www.openstreetmap.org/copyright" target="_blank" rel="noopener">© OpenStreetMap</a>'
  return others === '' ? link : `${others} ${link}`
}

function escapedHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
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
