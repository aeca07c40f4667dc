import { useComputedColorScheme } from '@mantine/core'
import type { Feature, FeatureCollection } from 'geojson'
import type { GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl'
import { useEffect, useEffectEvent } from 'react'
import type { Area } from '../api/types.ts'
import { boundsOf } from '../base-map/lon-lat.ts'
import { lettersOf } from '../base-map/palette.ts'
import { extentOf, geometryOf, type Shape, shapeOf } from './shape.ts'

const SOURCE = 'areas'
const CORRIDORS = 'areas-corridors'
const FILLS = 'areas-fill'

/** Pixels of a metre at the equator at zoom 0, and how much larger they are at zoom 22. */
const PIXELS_PER_METRE = 512 / 40_075_017
const TO_ZOOM_22 = 2 ** 22

/**
 * Draws areas with their names on a map, and keeps them up to date.
 *
 * @param chosenId of the one with the thick edge
 * @param isGround whether they only lie under what the map is about
 */
export function useAreasOn(
  map: MapLibreMap | undefined,
  areas: readonly Area[],
  chosenId: string | undefined,
  isGround = false,
): void {
  const isDark = useComputedColorScheme('light') === 'dark'
  const furnish = useEffectEvent((bare: MapLibreMap) => addAreaLayers(bare, isDark, isGround ? 0.4 : 1))
  useEffect(() => {
    if (map) furnish(map)
  }, [map])
  useEffect(() => {
    if (map) showAreas(map, areas, chosenId)
  }, [map, areas, chosenId])
}

/** The layers of areas, still empty. */
function addAreaLayers(map: MapLibreMap, isDark: boolean, weight: number): void {
  // A small circle stays round.
  map.addSource(SOURCE, { type: 'geojson', data: collection([]), tolerance: 0.1 })
  const width = ['get', 'width'] as const
  map.addLayer({
    id: CORRIDORS,
    type: 'line',
    source: SOURCE,
    filter: ['==', ['geometry-type'], 'LineString'],
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: {
      'line-color': ['get', 'color'],
      'line-opacity': 0.35 * weight,
      // As wide as it is on the ground.
      'line-width': ['interpolate', ['exponential', 2], ['zoom'], 0, [...width], 22, ['*', TO_ZOOM_22, [...width]]],
    },
  })
  map.addLayer({
    id: FILLS,
    type: 'fill',
    source: SOURCE,
    filter: ['==', ['geometry-type'], 'Polygon'],
    paint: { 'fill-color': ['get', 'color'], 'fill-opacity': (isDark ? 0.35 : 0.25) * weight },
  })
  map.addLayer({
    id: 'areas-line',
    type: 'line',
    source: SOURCE,
    filter: ['!=', ['geometry-type'], 'Point'],
    paint: { 'line-color': ['get', 'color'], 'line-width': ['case', ['get', 'isChosen'], 4, 2] },
  })
  map.addLayer({
    id: 'areas-names',
    type: 'symbol',
    source: SOURCE,
    filter: ['==', ['geometry-type'], 'Point'],
    minzoom: 8,
    layout: { ...lettersOf(map), 'text-field': ['get', 'name'], 'text-size': 12, 'text-max-width': 8 },
    paint: {
      'text-color': isDark ? '#dee2e6' : '#343a40',
      'text-halo-color': isDark ? '#1a1f23' : '#ffffff',
      'text-halo-width': 1.5,
    },
  })
}

/** Ids of the areas at a point of the map, the smallest drawing on top first. */
export const AREA_LAYERS = [FILLS, CORRIDORS] as const

function showAreas(map: MapLibreMap, areas: readonly Area[], chosenId: string | undefined): void {
  const features = areas.flatMap((area): Feature[] => {
    const shape = shapeOf(area)
    if (!shape) return []
    const { id, name, color } = area
    const properties = { id, color, isChosen: id === chosenId, width: widthOf(shape) }
    const [west, south, east, north] = boundsOf(extentOf(shape)) ?? [0, 0, 0, 0]
    const middle = { type: 'Point' as const, coordinates: [(west + east) / 2, (south + north) / 2] }
    return [
      { type: 'Feature', properties, geometry: geometryOf(shape) },
      { type: 'Feature', properties: { name }, geometry: middle },
    ]
  })
  void map.getSource<GeoJSONSource>(SOURCE)?.setData(collection(features))
}

function widthOf(shape: Shape): number {
  if (shape.type !== 'corridor') return 0
  const latitude = shape.line[0]?.[1] ?? 0
  return (2 * shape.halfWidthM * PIXELS_PER_METRE) / Math.cos((latitude * Math.PI) / 180)
}

function collection(features: Feature[]): FeatureCollection {
  return { type: 'FeatureCollection', features }
}
