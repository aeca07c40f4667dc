import type { Map as MapLibreMap } from 'maplibre-gl'

/** The colours of what lies under everything else on a map, in the light and in the dark. */
const COLORS = {
  water: ['#d3e3ea', '#10181d'],
  land: ['#f6f5f1', '#22272b'],
  coast: ['#a9c0ca', '#3b4a52'],
  river: ['#9fc5d6', '#3d667c'],
  border: ['#c3bfb4', '#4a5157'],
  countryName: ['#6b6a64', '#a3acb3'],
  placeName: ['#3d4248', '#c6ccd1'],
  suburbName: ['#62666b', '#98a1a8'],
  waterName: ['#4f7484', '#7f9fae'],
} as const

export type Palette = Readonly<Record<keyof typeof COLORS, string>>

export function paletteOf(isDark: boolean): Palette {
  return Object.fromEntries(Object.entries(COLORS).map(([name, colors]) => [name, colors[isDark ? 1 : 0]])) as Palette
}

/**
 * The letters of what is written upon a map come from where its style takes its own, as a server of fonts has only some. A style
 * without fonts leaves it to those of the system.
 */
export function lettersOf(map: MapLibreMap): { 'text-font'?: string[] } {
  for (const layer of map.getStyle().layers) {
    const font: unknown = layer.type === 'symbol' ? layer.layout?.['text-font'] : undefined
    if (Array.isArray(font) && font.every(entry => typeof entry === 'string') && font[0] !== 'literal')
      return { 'text-font': font }
  }
  return {}
}

/** Letters are drawn with those of the system: the style names no server of glyphs. */
export const LETTERS = ['system-ui']
