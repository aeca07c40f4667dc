import type { Feature, FeatureCollection, Geometry, Point, Position } from 'geojson'
import lakesUrl from 'mapeo-offline-map/dist/lakes.json?url'
import riversUrl from 'mapeo-offline-map/dist/rivers.json?url'
import type { ExpressionSpecification, GeoJSONSource, Map as MapLibreMap, StyleSpecification } from 'maplibre-gl'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import fineAtlasUrl from 'world-atlas/countries-50m.json?url'
import coarseAtlasUrl from 'world-atlas/countries-110m.json?url'
import type { Language } from '../language/language.ts'
import { LETTERS, type Palette, paletteOf } from './palette.ts'
import { placeLayers, placesSource } from './place-labels.ts'

type Atlas = Topology<{ countries: GeometryCollection<{ name: string }>; land: GeometryCollection }>

/** Layers above are names; what is filled in later is drawn below. */
const HIGHEST_GROUND = 'borders'

const atlases = new Map<string, Promise<Atlas>>()

async function loadJson<T>(url: string): Promise<T> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`outlines: status ${response.status}`)
  return (await response.json()) as T
}

/** Loaded once; a failed load is retried. */
function atlasAt(url: string): Promise<Atlas> {
  const known = atlases.get(url)
  if (known) return known
  const loading = loadJson<Atlas>(url)
  atlases.set(url, loading)
  loading.catch(() => atlases.delete(url))
  return loading
}

/**
 * A base map that sends requests to our own server only: land, borders and names of countries (Natural Earth, public domain, by
 * world-atlas), at first coarse, and names of places. It names no fonts, so the map library draws letters with those of the
 * system.
 */
export async function outlinesStyle(language: Language, isDark: boolean): Promise<StyleSpecification> {
  return styleOf(await atlasAt(coarseAtlasUrl), language, paletteOf(isDark))
}

/**
 * Draws the outlines of a map finer (1:50m), with rivers and lakes: that takes six times as long to load and must not
 * delay what matters.
 */
export async function refineOutlines(map: MapLibreMap, isDark: boolean, signal: AbortSignal): Promise<void> {
  const palette = paletteOf(isDark)
  const topology = atlasAt(fineAtlasUrl)
  topology.catch(() => undefined)
  const steps: readonly (() => unknown)[] = [
    async () => {
      const rivers = await loadJson<FeatureCollection>(riversUrl)
      // The map may have got another style meanwhile.
      if (!signal.aborted) addRivers(map, rivers, palette, HIGHEST_GROUND)
    },
    () => addLakes(map, palette, HIGHEST_GROUND),
    async () => map.getSource<GeoJSONSource>('land')?.setData(landOf(await topology)),
    async () => map.getSource<GeoJSONSource>('borders')?.setData(bordersOf(await topology)),
  ]
  // Each step takes nearly as long as a person would notice, so the page gets its turn in between.
  for (const step of steps) {
    if (signal.aborted) return
    await step()
    await Promise.race([map.once('idle'), new Promise(resolve => setTimeout(resolve, STEP_AT_MOST_MS))])
  }
}

/** After which the next step comes, though cars that move keep the map busy. */
const STEP_AT_MOST_MS = 1000

function landOf(topology: Atlas) {
  return unwrappedFeatures(feature(topology, topology.objects.land))
}

function bordersOf(topology: Atlas) {
  return smoothed(unwrapped(mesh(topology, topology.objects.countries, (one, other) => one !== other)))
}

function styleOf(topology: Atlas, language: Language, palette: Palette): StyleSpecification {
  const countries = unwrappedFeatures(
    feature(topology, topology.objects.countries) as FeatureCollection<Geometry, { name: string }>,
  )
  const geojson = { type: 'geojson', maxzoom: 10 } as const
  return {
    version: 8,
    sources: {
      land: { ...geojson, data: landOf(topology), attribution: 'Natural Earth' },
      borders: { ...geojson, data: bordersOf(topology) },
      countries: { ...geojson, data: countryLabels(countries, language) },
      places: placesSource(),
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': palette.water } },
      // Its edge is the coast.
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': palette.land, 'fill-antialias': false } },
      { id: 'coast', type: 'line', source: 'land', paint: { 'line-color': palette.coast, 'line-width': 1 } },
      { id: HIGHEST_GROUND, type: 'line', source: 'borders', paint: { 'line-color': palette.border, 'line-width': 1 } },
      ...placeLayers('places', language, palette),
      {
        id: 'countries',
        type: 'symbol',
        source: 'countries',
        maxzoom: 7,
        layout: {
          'text-field': ['get', 'name'],
          'text-font': LETTERS,
          'text-size': ['interpolate', ['linear'], ['zoom'], 1, 10, 6, 15],
          'text-max-width': 8,
          'text-padding': 8,
          'symbol-sort-key': ['-', 0, ['get', 'area']],
        },
        paint: { 'text-color': palette.country, 'text-halo-color': palette.land, 'text-halo-width': 1.5 },
      },
    ],
  }
}

/** The data is rounded to a hundredth of a degree: closer, water would be drawn where there is none. */
const RIVERS_UP_TO_ZOOM = 10
const LAKES_UP_TO_ZOOM = 14
const fadingTo = (zoom: number): ExpressionSpecification => ['interpolate', ['linear'], ['zoom'], zoom - 2, 1, zoom, 0]

/** How wide rivers are drawn, by the weights that the data has: above the first and up to the second. */
const RIVER_CLASSES = [
  { id: 'small', above: 0, upTo: 0.25, weight: 0.2 },
  { id: 'large', above: 0.25, upTo: 0.5, weight: 0.36 },
  { id: 'great', above: 0.5, upTo: 2, weight: 0.75 },
] as const

/**
 * Adds rivers (Natural Earth, public domain, by mapeo-offline-map) to a map of outlines. Their points are kilometres apart,
 * so they are smoothed.
 *
 * Widths depend on the zoom alone: the graphics card then draws rivers with the program that it has for borders. To compile one for
 * widths of each river took as long as all else of that frame, and where the processor draws, the page froze in the meantime.
 *
 * @param below the layer under which they are drawn
 */
function addRivers(map: MapLibreMap, rivers: FeatureCollection, palette: Palette, below: string): void {
  const features = rivers.features.map(river => ({ ...river, geometry: smoothed(river.geometry) }))
  map.addSource('rivers', { type: 'geojson', data: { ...rivers, features }, maxzoom: 9, tolerance: 0.2 })
  const weightOf: ExpressionSpecification = ['get', 'strokeweig']
  for (const { id, above, upTo, weight } of RIVER_CLASSES)
    map.addLayer(
      {
        id: `rivers-${id}`,
        type: 'line',
        source: 'rivers',
        maxzoom: RIVERS_UP_TO_ZOOM,
        filter: [
          'all',
          ['<=', ['get', 'min_zoom'], ['+', ['zoom'], 1]],
          ['>', weightOf, above],
          ['<=', weightOf, upTo],
        ],
        layout: { 'line-join': 'round', 'line-cap': 'round' },
        paint: {
          'line-color': palette.river,
          'line-width': ['interpolate', ['linear'], ['zoom'], 2, 1.5 * weight, 8, 5 * weight],
          'line-opacity': fadingTo(RIVERS_UP_TO_ZOOM),
        },
      },
      below,
    )
}

/** The same with lakes and their names; shores are drawn as borders are, not by a program of their own. */
function addLakes(map: MapLibreMap, palette: Palette, below: string): void {
  map.addSource('lakes', { type: 'geojson', data: lakesUrl, maxzoom: 9 })
  map.addLayer(
    {
      id: 'lakes',
      type: 'fill',
      source: 'lakes',
      maxzoom: LAKES_UP_TO_ZOOM,
      paint: {
        'fill-color': palette.water,
        'fill-antialias': false,
        'fill-opacity': fadingTo(LAKES_UP_TO_ZOOM),
      },
    },
    below,
  )
  map.addLayer(
    {
      id: 'shores',
      type: 'line',
      source: 'lakes',
      maxzoom: LAKES_UP_TO_ZOOM,
      paint: { 'line-color': palette.coast, 'line-width': 1, 'line-opacity': fadingTo(LAKES_UP_TO_ZOOM) },
    },
    below,
  )
  map.addLayer(
    {
      id: 'lake-names',
      type: 'symbol',
      source: 'lakes',
      minzoom: 6,
      maxzoom: LAKES_UP_TO_ZOOM,
      filter: ['!=', ['coalesce', ['get', 'name'], ''], ''],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': LETTERS,
        'text-size': 11,
        'text-max-width': 6,
        'text-padding': 12,
      },
      paint: { 'text-color': palette.waterName, 'text-halo-color': palette.water, 'text-halo-width': 1 },
    },
    below,
  )
}

interface CountryLabel {
  readonly name: string
  /** Area of its largest part, in square degrees: larger countries come first where there is no room for all names. */
  readonly area: number
}

/** Where to write the name of each country, and what it is called in the language. */
export function countryLabels(
  countries: FeatureCollection<Geometry, { readonly name: string }>,
  language: Language,
): FeatureCollection<Point, CountryLabel> {
  const names = new Intl.DisplayNames(language, { type: 'region' })
  return {
    type: 'FeatureCollection',
    features: countries.features.flatMap(country => {
      const [largest] = outerRings(country.geometry)
        .map(areaAndCentroid)
        .sort((a, b) => b.area - a.area)
      if (!largest) return []
      return [
        {
          type: 'Feature',
          geometry: { type: 'Point', coordinates: largest.centroid },
          properties: { name: nameOf(country, names), area: largest.area },
        } as const,
      ]
    }),
  }
}

/** The atlas numbers countries as ISO 3166-1 does; places that have no number keep their English name. */
function nameOf({ id, properties }: Feature<Geometry, { readonly name: string }>, names: Intl.DisplayNames): string {
  if (id === undefined || !/^\d{3}$/.test(String(id))) return properties.name
  const { region } = new Intl.Locale(`und-${id}`)
  return (region !== undefined && region !== id && names.of(region)) || properties.name
}

function outerRings(geometry: Geometry): Position[][] {
  if (geometry.type === 'Polygon') return geometry.coordinates.slice(0, 1)
  if (geometry.type === 'MultiPolygon') return geometry.coordinates.flatMap(polygon => polygon.slice(0, 1))
  return []
}

/** Shoelace formula, in degrees: good enough to find the middle of a name. */
function areaAndCentroid(ring: readonly Position[]): { area: number; centroid: Position } {
  let twiceArea = 0
  let x = 0
  let y = 0
  let [beforeX = 0, beforeY = 0] = ring.at(-1) ?? []
  for (const [pointX = 0, pointY = 0] of ring) {
    const cross = beforeX * pointY - pointX * beforeY
    twiceArea += cross
    x += (beforeX + pointX) * cross
    y += (beforeY + pointY) * cross
    beforeX = pointX
    beforeY = pointY
  }
  const centroid = twiceArea === 0 ? [beforeX, beforeY] : [x / (3 * twiceArea), y / (3 * twiceArea)]
  return { area: Math.abs(twiceArea) / 2, centroid }
}

/** Longer straight lines, such as borders along a meridian, are meant so. */
const CURVED_UP_TO_DEG = 0.5
const PARTS = 4

/** Lines as curves through all their points (Catmull and Rom), where these are near one another. */
export function smoothed<G extends Geometry>(geometry: G): G {
  if (geometry.type === 'LineString') return { ...geometry, coordinates: curveOf(geometry.coordinates) }
  if (geometry.type === 'MultiLineString') return { ...geometry, coordinates: geometry.coordinates.map(curveOf) }
  return geometry
}

function curveOf(line: readonly Position[]): Position[] {
  return line.flatMap((to, index) => {
    const from = line[index - 1]
    if (!from) return [to]
    const [[x0 = 0, y0 = 0], [x1 = 0, y1 = 0], [x2 = 0, y2 = 0]] = [line[index - 2] ?? from, from, to]
    const [x3 = 0, y3 = 0] = line[index + 1] ?? to
    if (Math.hypot(x2 - x1, y2 - y1) > CURVED_UP_TO_DEG) return [to]
    return Array.from({ length: PARTS }, (_, part): Position => {
      const share = (part + 1) / PARTS
      const at = (before: number, start: number, end: number, after: number) =>
        start +
        (share *
          (end -
            before +
            share * (2 * before - 5 * start + 4 * end - after + share * (3 * (start - end) + after - before)))) /
          2
      return part === PARTS - 1 ? to : [at(x0, x1, x2, x3), at(y0, y1, y2, y3)]
    })
  })
}

/**
 * The atlas is made for globes: lines run across the 180th meridian, where on a flat map they would run once around the
 * world. Here longitudes go on beyond 180° instead, and what surrounds the pole is closed along the map's edge.
 */
export function unwrapped<G extends Geometry>(geometry: G): G {
  switch (geometry.type) {
    case 'LineString':
      return { ...geometry, coordinates: continuous(geometry.coordinates) }
    case 'MultiLineString':
      return { ...geometry, coordinates: geometry.coordinates.map(continuous) }
    case 'Polygon':
      return { ...geometry, coordinates: geometry.coordinates.map(closed) }
    case 'MultiPolygon':
      return { ...geometry, coordinates: geometry.coordinates.map(polygon => polygon.map(closed)) }
    default:
      return geometry
  }
}

function unwrappedFeatures<G extends Geometry, P>(collection: FeatureCollection<G, P>): FeatureCollection<G, P> {
  const features = collection.features.map(one => ({ ...one, geometry: unwrapped(one.geometry) }))
  return { ...collection, features }
}

function continuous(line: readonly Position[]): Position[] {
  let turns = 0
  let before: number | undefined
  return line.map(([longitude = 0, latitude = 0]) => {
    if (before !== undefined && Math.abs(longitude - before) > 180) turns += longitude < before ? 360 : -360
    before = longitude
    return [longitude + turns, latitude]
  })
}

/** A ring around the south pole ends a world away from where it began. */
function closed(ring: readonly Position[]): Position[] {
  const points = continuous(ring)
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || first[0] === last[0]) return points
  const edge = -90
  return [...points, [last[0] ?? 0, edge], [first[0] ?? 0, edge], first]
}
