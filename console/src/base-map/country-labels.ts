import type { Feature, FeatureCollection, Geometry, Point, Position } from 'geojson'
import type { Language } from '../language/language.ts'

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
