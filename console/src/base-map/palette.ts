import type { Map as MapLibreMap } from 'maplibre-gl'

/** The colours of what lies under everything else on a map. */
export interface Palette {
  readonly water: string
  readonly land: string
  readonly coast: string
  readonly river: string
  readonly border: string
  /** Names of countries. */
  readonly country: string
  /** Names of places. */
  readonly place: string
  /** Names of sections of places. */
  readonly suburb: string
  readonly waterName: string
}

const LIGHT: Palette = {
  water: '#d3e3ea',
  land: '#f6f5f1',
  coast: '#a9c0ca',
  river: '#9fc5d6',
  border: '#c3bfb4',
  country: '#6b6a64',
  place: '#3d4248',
  suburb: '#62666b',
  waterName: '#4f7484',
}
const DARK: Palette = {
  water: '#10181d',
  land: '#22272b',
  coast: '#3b4a52',
  river: '#3d667c',
  border: '#4a5157',
  country: '#a3acb3',
  place: '#c6ccd1',
  suburb: '#98a1a8',
  waterName: '#7f9fae',
}

export const paletteOf = (isDark: boolean): Palette => (isDark ? DARK : LIGHT)

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
