// Makes the data of console/src/base-map/outlines/ anew, which is seldom needed: land, borders and countries from world-atlas,
// rivers and lakes from mapeo-offline-map, all of Natural Earth and in the public domain. These packages are too large to be
// installed with the others:
//   npm install --prefix FOLDER world-atlas@2.0.2 mapeo-offline-map@2.0.0
//   npx tsx scripts/map-outlines.ts FOLDER
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Feature, FeatureCollection, Geometry, Position } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

type Atlas = Topology<{ countries: GeometryCollection<{ name: string }>; land: GeometryCollection }>

const folder = resolve(process.argv[2] ?? '.')
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(folder, 'node_modules', path), 'utf8'))

function write(name: string, data: unknown, digits: number): void {
  const text = JSON.stringify(data, (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(digits)) : value,
  )
  writeFileSync(`console/src/base-map/outlines/${name}.json`, `${text}\n`)
  console.log(`${name}: ${text.length} characters`)
}

/** The same lines and rings, each of them changed. */
function changed(geometry: Geometry, line: (line: Position[]) => Position[], ring = line): Geometry {
  switch (geometry.type) {
    case 'LineString':
      return { ...geometry, coordinates: line(geometry.coordinates) }
    case 'MultiLineString':
      return { ...geometry, coordinates: geometry.coordinates.map(each => line(each)) }
    case 'Polygon':
      return { ...geometry, coordinates: geometry.coordinates.map(each => ring(each)) }
    case 'MultiPolygon':
      return { ...geometry, coordinates: geometry.coordinates.map(rings => rings.map(each => ring(each))) }
    default:
      return geometry
  }
}

/**
 * The atlas is made for globes: lines run across the 180th meridian, where on a flat map they would run once around the
 * world. Here longitudes go on beyond 180° instead, and what surrounds the pole is closed along the map's edge.
 */
function unwrapped(geometry: Geometry): Geometry {
  return changed(geometry, continuous, closed)
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
  return [...points, [last[0] ?? 0, -90], [first[0] ?? 0, -90], first]
}

/** Longer straight lines, such as borders along a meridian, are meant so. */
const CURVED_UP_TO_DEG = 0.5
/** What is hardly bent stays as it is: curves make the files larger. */
const LEAST_BEND_DEG = 0.005
const PARTS = 3

/** Lines as curves through all their points (Catmull and Rom), where these are near one another. */
function smoothed(geometry: Geometry): Geometry {
  return changed(geometry, curveOf)
}

function curveOf(line: readonly Position[]): Position[] {
  return line.flatMap((to, index) => {
    const from = line[index - 1]
    if (!from) return [to]
    const [[x0 = 0, y0 = 0], [x1 = 0, y1 = 0], [x2 = 0, y2 = 0]] = [line[index - 2] ?? from, from, to]
    const [x3 = 0, y3 = 0] = line[index + 1] ?? to
    const pointAt = (share: number): [number, number] => {
      const at = (before: number, start: number, end: number, after: number) =>
        start +
        (share *
          (end -
            before +
            share * (2 * before - 5 * start + 4 * end - after + share * (3 * (start - end) + after - before)))) /
          2
      return [at(x0, x1, x2, x3), at(y0, y1, y2, y3)]
    }
    const [middleX, middleY] = pointAt(0.5)
    const bend = Math.hypot(middleX - (x1 + x2) / 2, middleY - (y1 + y2) / 2)
    if (Math.hypot(x2 - x1, y2 - y1) > CURVED_UP_TO_DEG || bend < LEAST_BEND_DEG) return [to]
    return [...Array.from({ length: PARTS - 1 }, (_, part) => pointAt((part + 1) / PARTS)), to]
  })
}

/** Where to write the name of each country, the largest first, by its code; by its English name where it has none. */
function countryPlaces(atlas: Atlas): Record<string, Position> {
  const { features } = feature(atlas, atlas.objects.countries) as FeatureCollection<Geometry, { name: string }>
  const labels = features.flatMap(country => {
    const [largest] = outerRings(unwrapped(country.geometry))
      .map(areaAndCentroid)
      .sort((one, other) => other.area - one.area)
    return largest ? [{ name: codeOf(country), ...largest }] : []
  })
  return Object.fromEntries(
    labels.sort((one, other) => other.area - one.area).map(({ name, centroid }) => [name, centroid]),
  )
}

/** The atlas numbers countries as ISO 3166-1 does. */
function codeOf({ id, properties }: Feature<Geometry, { name: string }>): string {
  if (id === undefined || !/^\d{3}$/.test(String(id))) return properties.name
  const { region } = new Intl.Locale(`und-${id}`)
  return region === undefined || region === id ? properties.name : region
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

/** The shapes alone, and the named properties. */
function collectionOf(features: readonly Feature[], names: readonly string[] = []): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: features.map(({ geometry, properties }) => ({
      type: 'Feature',
      properties: Object.fromEntries(names.map(name => [name, properties?.[name]])),
      geometry,
    })),
  }
}

const COARSE = readJson('world-atlas/countries-110m.json') as Atlas
for (const [name, atlas, digits] of [
  ['coarse', COARSE, 2],
  ['fine', readJson('world-atlas/countries-50m.json') as Atlas, 3],
] as const) {
  const land = feature(atlas, atlas.objects.land) as FeatureCollection
  const parts = land.features.map(part => ({ ...part, geometry: unwrapped(part.geometry) }))
  write(`land-${name}`, collectionOf(parts), digits)
  const borders = mesh(atlas, atlas.objects.countries, (one, other) => one !== other)
  write(`borders-${name}`, smoothed(unwrapped(borders)), digits)
}
write('countries', countryPlaces(COARSE), 1)
const rivers = (readJson('mapeo-offline-map/dist/rivers.json') as FeatureCollection).features
const curved = rivers.map(river => ({ ...river, geometry: smoothed(river.geometry) }))
write('rivers', collectionOf(curved, ['min_zoom', 'strokeweig']), 3)
const lakes = (readJson('mapeo-offline-map/dist/lakes.json') as FeatureCollection).features
write('lakes', collectionOf(lakes, ['name']), 2)
