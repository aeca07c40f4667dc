import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AREA_KINDS } from '../../catalogue/area-kinds.ts'
import { featuresIn, featuresOf, readFeature } from './geojson.ts'
import { featuresOfKml, kmlOf } from './kml.ts'
import { type AreaShape, areaNameOf, type DrawnArea, type LonLat } from './shape.ts'

const NOTHING_ELSE = { kind: 'OTHER', radiusM: undefined, halfWidthM: undefined } as const

const anyPoint: fc.Arbitrary<LonLat> = fc.tuple(fc.integer({ min: -179, max: 178 }), fc.integer({ min: -80, max: 79 }))
const anyMetres = fc.integer({ min: 1, max: 5000 })

const anyShape: fc.Arbitrary<AreaShape> = fc.oneof(
  fc.record({ type: fc.constant('circle' as const), center: anyPoint, radiusM: anyMetres }),
  fc.tuple(anyPoint, anyMetres).map(
    ([[x, y], halfWidthM]): AreaShape => ({
      type: 'corridor',
      line: [
        [x, y],
        [x + 0.5, y],
        [x + 1, y + 0.25],
      ],
      halfWidthM,
    }),
  ),
  fc.tuple(anyPoint, fc.integer({ min: 1, max: 3 })).map(([[x, y], count]): AreaShape => {
    const ring = (from: number, to: number, at: number): LonLat[] => [
      [x + at + from, y + from],
      [x + at + to, y + from],
      [x + at + to, y + to],
      [x + at + from, y + from],
    ]
    return {
      type: 'polygon',
      polygons: Array.from({ length: count }, (_, index) => [
        ring(0, 0.25, index / 4),
        ring(0.125, 0.15625, index / 4 + 0.03125),
      ]),
    }
  }),
)

const anyArea: fc.Arbitrary<DrawnArea> = fc.record({
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter(name => areaNameOf(name) === name),
  kind: fc.constantFrom(...AREA_KINDS),
  color: fc.integer({ min: 0, max: 0xffffff }).map(number => `#${number.toString(16).padStart(6, '0')}`),
  shape: anyShape,
})

const namesOf = (areas: readonly DrawnArea[]) => areas.map(({ name }) => name)

describe('what is exported is imported as it was:', () => {
  const read = (features: readonly unknown[]) =>
    features.map((feature, index) => readFeature(feature, index + 1, NOTHING_ELSE))

  it('GeoJSON', () => {
    fc.assert(
      fc.property(fc.array(anyArea, { maxLength: 4 }), areas => {
        const text = JSON.stringify(featuresOf(areas))
        expect(read(featuresIn(JSON.parse(text)))).toEqual(areas)
      }),
    )
  })

  it('a name in KML, whatever characters it has', () => {
    const shape: AreaShape = { type: 'circle', center: [11, 48], radiusM: 50 }
    const characters = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code))
    const legible = characters.filter(character => areaNameOf(`a${character}b`) !== undefined)
    const names = legible.map((_, at) => `a${legible.slice(at, at + 100).join('')}b`).filter((_, at) => at % 100 === 0)
    const areas = names.map((name): DrawnArea => ({ name, kind: 'DEPOT', color: '#000000', shape }))
    expect(namesOf(read(featuresOfKml(kmlOf(areas))))).toEqual(namesOf(areas))
  })

  it('KML', () => {
    fc.assert(
      fc.property(fc.array(anyArea, { maxLength: 4 }), areas => {
        expect(read(featuresOfKml(kmlOf(areas)))).toEqual(areas)
      }),
    )
  })
})

describe('files of other programs', () => {
  const polygon = {
    type: 'Polygon',
    coordinates: [
      [
        [11, 48, 500],
        [11.1, 48],
        [11.1, 48.1],
        [11, 48, 500],
      ],
    ],
  }

  it('a bare geometry is an area, and altitudes are left out', () => {
    const [feature] = featuresIn(polygon)
    expect(readFeature(feature, 1, { ...NOTHING_ELSE, kind: 'DEPOT' })).toEqual({
      name: 'Area 1',
      kind: 'DEPOT',
      color: '#1c7ed6',
      shape: {
        type: 'polygon',
        polygons: [
          [
            [
              [11, 48],
              [11.1, 48],
              [11.1, 48.1],
              [11, 48],
            ],
          ],
        ],
      },
    })
  })

  it('points and lines get the size that the import gives', () => {
    const point = { type: 'Feature', geometry: { type: 'Point', coordinates: [8, 50] }, properties: { title: 'Yard' } }
    expect(readFeature(point, 1, { ...NOTHING_ELSE, radiusM: 150 })).toMatchObject({
      name: 'Yard',
      shape: { type: 'circle', center: [8, 50], radiusM: 150 },
    })
    const line = {
      type: 'Feature',
      geometry: {
        type: 'LineString',
        coordinates: [
          [8, 50],
          [9, 50],
        ],
      },
      properties: null,
    }
    expect(readFeature(line, 1, { ...NOTHING_ELSE, halfWidthM: 40 }).shape).toMatchObject({ halfWidthM: 40 })
  })

  it('KML of a map program: names, colours, holes and altitudes', () => {
    const text = `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>
      <Style id="red"><PolyStyle><color>7f0000ff</color></PolyStyle></Style>
      <Folder><Placemark><name>Süd &amp; Nord</name><styleUrl>#red</styleUrl><Polygon>
        <outerBoundaryIs><LinearRing><coordinates>11,48,0 11.4,48,0 11.4,48.4,0 11,48,0</coordinates></LinearRing></outerBoundaryIs>
        <innerBoundaryIs><LinearRing><coordinates>11.2,48.05 11.3,48.05 11.3,48.1 11.2,48.05</coordinates></LinearRing></innerBoundaryIs>
      </Polygon></Placemark></Folder></Document></kml>`
    const [feature] = featuresOfKml(text)
    expect(readFeature(feature, 1, NOTHING_ELSE)).toMatchObject({
      name: 'Süd & Nord',
      color: '#ff0000',
      shape: { polygons: [[{ length: 4 }, { length: 4 }]] },
    })
  })

  it.each([
    ['no object', [], /^The file is not GeoJSON/],
    ['no features', { type: 'FeatureCollection' }, /features must be a list/],
    [
      'a point without radius',
      { type: 'Point', coordinates: [1, 2] },
      /^Area 1 of the file is a point without radiusM/,
    ],
    ['what is no area', { type: 'MultiPoint', coordinates: [] }, /is not a Polygon, MultiPolygon, Point, LineString/],
    ['wrong coordinates', { type: 'Polygon', coordinates: [['a']] }, /coordinates that are not those of a Polygon/],
    [
      'a name',
      {
        type: 'Feature',
        geometry: {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [1, 0],
            ],
          ],
        },
        properties: { name: 'Yard' },
      },
      /^Area 1 of the file \("Yard"\) has a ring of 2 points/,
    ],
  ])('are refused with what is wrong: %s', (_, document, message) => {
    expect(() => featuresIn(document).map((feature, index) => readFeature(feature, index + 1, NOTHING_ELSE))).toThrow(
      message,
    )
  })

  it.each([
    ['not XML', 'areas', /^The file is not KML/],
    ['another document', '<gpx/>', /does not begin with <kml>/],
    ['not closed', '<kml><Document>', /^The file is not KML/],
    ['a document type', '<!DOCTYPE kml [<!ENTITY a "aaaa">]><kml/>', /document type/],
  ])('KML is refused with what is wrong: %s', (_, text, message) => {
    expect(() => featuresOfKml(text)).toThrow(message)
  })
})
