import type { FeatureCollection, Geometry, Position } from 'geojson'

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

export function unwrappedFeatures<G extends Geometry, P>(collection: FeatureCollection<G, P>): FeatureCollection<G, P> {
  const features = collection.features.map(feature => ({ ...feature, geometry: unwrapped(feature.geometry) }))
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
