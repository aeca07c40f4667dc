import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AREA_KINDS } from '../../catalogue/area-kinds.ts'
import { featuresIn, featuresOf, type ImportDefaults, readFeature } from './geojson.ts'
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
        ring(0, 0.25, index / 2),
        ring(0.125, 0.15625, index / 2 + 0.03125),
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

const readAll = (features: readonly unknown[], defaults: ImportDefaults = NOTHING_ELSE) =>
  features.map((feature, index) => readFeature(feature, index + 1, defaults))
const areasOf = (features: readonly unknown[], defaults?: ImportDefaults) =>
  readAll(features, defaults).flatMap(read => read.areas)
const reasonsOf = (features: readonly unknown[], defaults?: ImportDefaults) =>
  readAll(features, defaults).flatMap(read => read.passedOver)

describe('what is exported is imported as it was:', () => {
  it('GeoJSON', () => {
    fc.assert(
      fc.property(fc.array(anyArea, { maxLength: 4 }), areas => {
        const text = JSON.stringify(featuresOf(areas))
        expect(areasOf(featuresIn(JSON.parse(text)))).toEqual(areas)
      }),
    )
  })

  it('a name in KML, whatever characters it has', () => {
    const shape: AreaShape = { type: 'circle', center: [11, 48], radiusM: 50 }
    const characters = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code))
    const legible = characters.filter(character => areaNameOf(`a${character}b`) !== undefined)
    const names = legible.map((_, at) => `a${legible.slice(at, at + 100).join('')}b`).filter((_, at) => at % 100 === 0)
    const areas = names.map((name): DrawnArea => ({ name, kind: 'DEPOT', color: '#000000', shape }))
    expect(namesOf(areasOf(featuresOfKml(kmlOf(areas))))).toEqual(namesOf(areas))
  })

  it('KML', () => {
    fc.assert(
      fc.property(fc.array(anyArea, { maxLength: 4 }), areas => {
        expect(areasOf(featuresOfKml(kmlOf(areas)))).toEqual(areas)
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
    const ring = polygon.coordinates[0]?.map(([x, y]) => [x, y])
    expect(areasOf(featuresIn(polygon), { ...NOTHING_ELSE, kind: 'DEPOT' })).toEqual([
      { name: 'Area 1', kind: 'DEPOT', color: '#1c7ed6', shape: { type: 'polygon', polygons: [[ring]] } },
    ])
  })

  it('points and lines get the size that the import gives', () => {
    const point = { type: 'Feature', geometry: { type: 'Point', coordinates: [8, 50] }, properties: { title: 'Yard' } }
    expect(areasOf([point], { ...NOTHING_ELSE, radiusM: 150 })).toMatchObject([
      { name: 'Yard', shape: { type: 'circle', center: [8, 50], radiusM: 150 } },
    ])
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
    expect(areasOf([line], { ...NOTHING_ELSE, halfWidthM: 40 })).toMatchObject([{ shape: { halfWidthM: 40 } }])
  })

  it('KML of a map program: names, colours, holes and altitudes', () => {
    const text = `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>
      <Style id="red"><PolyStyle><color>7f0000ff</color></PolyStyle></Style>
      <Folder><Placemark><name>S&uuml;d &amp; Nord</name><styleUrl>#red</styleUrl><Polygon>
        <outerBoundaryIs><LinearRing><coordinates>11,48,0 11.4,48,0 11.4,48.4,0 11,48,0</coordinates></LinearRing></outerBoundaryIs>
        <innerBoundaryIs><LinearRing><coordinates>11.2,48.05 11.3,48.05 11.3,48.1 11.2,48.05</coordinates></LinearRing></innerBoundaryIs>
      </Polygon></Placemark></Folder></Document></kml>`
    expect(areasOf(featuresOfKml(text))).toMatchObject([
      { name: 'Süd & Nord', color: '#ff0000', shape: { polygons: [[{ length: 4 }, { length: 4 }]] } },
    ])
  })

  it.each([
    ['no object', [], /^The file is not GeoJSON/],
    ['no features', { type: 'FeatureCollection' }, /features must be a list/],
  ])('are refused with what is wrong: %s', (_, document, message) => {
    expect(() => featuresIn(document)).toThrow(message)
  })

  it.each([
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
      /^Area 1 of the file \("Yard"\) has a ring of 3 points/,
    ],
  ])('what is no area is passed over with its reason: %s', (_, document, message) => {
    expect(readAll(featuresIn(document))).toEqual([{ areas: [], passedOver: [expect.stringMatching(message)] }])
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

/** Corners of a square of 0.01 degrees, as KML. */
const square = (x: number, y: number) => [
  [x, y],
  [x + 0.01, y],
  [x + 0.01, y + 0.01],
  [x, y + 0.01],
  [x, y],
]
const SQUARE = '8.4,49,0 8.41,49,0 8.41,49.01,0 8.4,49.01,0 8.4,49,0'
const ringOf = (coordinates: string) => `<LinearRing><coordinates>${coordinates}</coordinates></LinearRing>`
const polygonOf = (coordinates = SQUARE) =>
  `<Polygon><outerBoundaryIs>${ringOf(coordinates)}</outerBoundaryIs></Polygon>`
const OTHER_SQUARE = '8.42,49 8.43,49 8.43,49.01 8.42,49.01 8.42,49'
const POINT = '<Point><coordinates>8.405,49.005,0</coordinates></Point>'
const kmlWith = (content: string, attributes = 'xmlns="http://www.opengis.net/kml/2.2"') =>
  featuresOfKml(`<kml ${attributes}><Document><name>Sites</name>${content}</Document></kml>`)
const placemark = (geometry: string, name = '<name>Depot</name>') => `<Placemark>${name}${geometry}</Placemark>`
const DEPOT = { name: 'Depot', shape: { type: 'polygon', polygons: [[square(8.4, 49)]] } }
const SIZES: ImportDefaults = { kind: 'OTHER', radiusM: 100, halfWidthM: 25 }

describe('KML of other programs is one area:', () => {
  it.each([
    ['with a prefix', 'xmlns:kml="http://www.opengis.net/kml/2.2"', 'kml:'],
    ['with another', 'xmlns:ns0="http://earth.google.com/kml/2.1"', 'ns0:'],
    ['with one that nobody declares', '', 'k:'],
  ])('%s', (_, attributes, prefix) => {
    const text = `<kml ${attributes}><Document>${placemark(polygonOf())}</Document></kml>`
    const features = featuresOfKml(text.replaceAll(/<(\/?)(?=\w)/g, `<$1${prefix}`))
    expect(areasOf(features, SIZES)).toMatchObject([DEPOT])
  })

  it.each([
    ['xsi', '<Folder xsi:schemaLocation="a b">', '</Folder>'],
    ['gx', '<gx:Tour><gx:Playlist/></gx:Tour><Folder>', '</Folder>'],
    ['atom', '<atom:author><atom:name>Joe</atom:name></atom:author><Folder>', '</Folder>'],
    ['a declared one beside it', '<Folder xmlns:a="b" a:c="d" e:f="g">', '<a:b/><e:f/></Folder>'],
    ['entities of HTML and a bare &', '<Folder><name>A&nbsp;B & C</name>', '</Folder>'],
  ])('in which nobody declares %s', (_, begin, end) => {
    expect(areasOf(kmlWith(begin + placemark(polygonOf()) + end))).toMatchObject([DEPOT])
  })

  it.each([
    ['blanks after commas', '8.4, 49, 0 8.41, 49, 0 8.41, 49.01, 0 8.4, 49.01, 0 8.4, 49, 0'],
    ['blanks around commas', '8.4 , 49 8.41 , 49 8.41 , 49.01 8.4 , 49.01 8.4 , 49'],
    ['commas between points', '8.4,49,0,8.41,49,0,8.41,49.01,0,8.4,49.01,0,8.4,49,0'],
    ['commas between pairs', '8.4,49,8.41,49,8.41,49.01,8.4,49.01,8.4,49.005,8.4,49'],
    ['commas and line breaks', '\n8.4,49,0,\n\t8.41,49,0,\n8.41,49.01,0,\r\n8.4,49.01,0,\n8.4,49,0\n'],
    ['commas and blanks everywhere', '8.4, 49, 0, 8.41, 49, 0, 8.41, 49.01, 0, 8.4, 49.01, 0, 8.4, 49, 0'],
    ['tabs', '8.4,49,0\t8.41,49,0\t8.41,49.01,0\t8.4,49.01,0\t8.4,49,0'],
    ['blanks alone', '8.4 49 0 8.41 49 0 8.41 49.01 0 8.4 49.01 0 8.4 49 0'],
    ['heights at some points', '8.4,49 8.41,49,310 8.41,49.01 8.4,49.01,312.5 8.4,49'],
    ['no last point', '8.4,49 8.41,49 8.41,49.01 8.4,49.01'],
    ['a point twice', '8.4,49 8.41,49 8.41,49 8.41,49.01 8.4,49.01 8.4,49'],
  ])('coordinates with %s', (_, coordinates) => {
    const [area] = areasOf(kmlWith(placemark(polygonOf(coordinates))))
    const corners = area?.shape.type === 'polygon' ? area.shape.polygons.flat(2) : []
    expect(new Set(corners.map(String).filter(corner => corner !== '8.4,49.005'))).toEqual(
      new Set(square(8.4, 49).map(String)),
    )
  })

  it('of parts, beside a point where the label stands', () => {
    const parts = `${POINT}<MultiGeometry>${polygonOf()}</MultiGeometry>${polygonOf(OTHER_SQUARE)}`
    const features = kmlWith(placemark(`<MultiGeometry>${parts}</MultiGeometry>`))
    const polygons = [[square(8.4, 49)], [square(8.42, 49)]].map(rings => rings.map(ring => ({ length: ring.length })))
    expect(areasOf(features, SIZES)).toMatchObject([{ name: 'Depot', shape: { polygons } }])
    expect(reasonsOf(features, SIZES)).toEqual([
      'Area 1 of the file ("Depot") has a Point beside its area, taken for its label.',
    ])
  })

  it.each([
    ['alone', ringOf(SQUARE)],
    ['in several geometries', `<MultiGeometry>${POINT}${ringOf(SQUARE)}</MultiGeometry>`],
  ])('a ring %s is a polygon, whatever width lines get', (_, geometry) => {
    expect(areasOf(kmlWith(placemark(geometry)), SIZES)).toMatchObject([DEPOT])
  })

  it.each([
    ['Data', '<Data name="name"><value>Customer 4711</value></Data>'],
    ['SimpleData', '<SchemaData schemaUrl="#s"><SimpleData name="name">4711</SimpleData></SchemaData>'],
    ['capitals', '<SchemaData><SimpleData name="NAME">4711</SimpleData></SchemaData>'],
  ])('whose name is its own: %s', (_, data) => {
    const extended = `<ExtendedData>${data}</ExtendedData>`
    const names = [placemark(extended + polygonOf()), placemark(extended + polygonOf(), '')]
    expect(namesOf(areasOf(kmlWith(names.join(''))))).toEqual(['Depot', expect.stringContaining('4711')])
  })

  it('beside what is none, and that is said', () => {
    const others = `<GroundOverlay><name>Plan</name><LatLonBox><north>49.1</north><south>49</south><east>8.5</east>
      <west>8.4</west></LatLonBox></GroundOverlay><NetworkLink><name>More</name></NetworkLink>
      <ScreenOverlay><name>Logo</name></ScreenOverlay>`
    const features = kmlWith(others + placemark('', '<name>Planned</name>') + placemark(polygonOf()))
    expect(areasOf(features)).toMatchObject([DEPOT])
    expect(reasonsOf(features)).toEqual([
      'Area 1 of the file ("Planned") has no geometry.',
      expect.stringMatching(/^Area 3 of the file \("Plan"\) has a geometry that is not .*, but a groundoverlay\.$/),
      expect.stringMatching(/^Area 4 of the file \("More"\) .*, but a networklink\.$/),
      expect.stringMatching(/^Area 5 of the file \("Logo"\) .*, but a ScreenOverlay\.$/),
    ])
  })
})

describe('GeoJSON of other programs:', () => {
  const polygon = { type: 'Polygon', coordinates: [square(8.4, 49)] }
  const far = { type: 'Polygon', coordinates: [square(8.42, 49)] }
  const point = { type: 'Point', coordinates: [8.405, 49.005] }
  const feature = (geometry: unknown, properties: unknown = { name: 'Depot' }) => ({
    type: 'Feature',
    geometry,
    properties,
  })

  it.each([
    [4711, '4711'],
    ['Depot\nNorth', 'Depot North'],
    ['\u0000Depot \r\n\t North\u0000', 'Depot North'],
    ['x'.repeat(300), 'x'.repeat(200)],
    ['a\ud800b', 'a\ufffdb'],
    [' ', 'Area 1'],
    [null, 'Area 1'],
    [{ de: 'Hof' }, 'Area 1'],
  ])('the name %j is %j', (name, expected) => {
    expect(namesOf(areasOf([feature(polygon, { name })]))).toEqual([expected])
  })

  it.each([
    [{ Name: 'Depot' }, 'Depot'],
    [{ NAME: 7 }, '7'],
    [{ NAME: 'other', name: 'Depot', Title: 'x' }, 'Depot'],
    [{ name: '', Title: 'Depot' }, 'Depot'],
  ])('%j is named %j, also in a collection of collections', (properties, expected) => {
    const inner = { type: 'FeatureCollection', features: [feature(polygon, properties)] }
    expect(namesOf(areasOf(featuresIn({ ...inner, features: [inner] })))).toEqual([expected])
  })

  it('what has no geometry is passed over, the rest is taken', () => {
    const broken = { type: 'Polygon', coordinates: [[['8', '49']]] }
    const features = [feature(null), feature(polygon), feature(broken), 7, feature({ type: 'GeometryCollection' })]
    expect(areasOf(features)).toMatchObject([DEPOT])
    expect(reasonsOf(features).map(reason => reason.slice(0, 60))).toEqual([
      'Area 1 of the file ("Depot") has no geometry.',
      expect.stringMatching(/^Area 3 of the file \("Depot"\) has coordinates that are/),
      'Area 4 of the file is not a feature.',
      expect.stringMatching(/^Area 5 of the file \("Depot"\) has a geometry that is not/),
    ])
  })

  it('a collection of polygons is one area, however deep, and its points are labels', () => {
    const inner = { type: 'GeometryCollection', geometries: [{ type: 'MultiPolygon', coordinates: [far.coordinates] }] }
    const read = readAll([feature({ type: 'GeometryCollection', geometries: [point, polygon, inner] })], SIZES)
    expect(read).toMatchObject([{ areas: [{ shape: { polygons: { length: 2 } } }], passedOver: { length: 1 } }])
  })

  it('points and lines of several are areas each', () => {
    const points = { type: 'MultiPoint', coordinates: [point.coordinates, [8.5, 49, 310]] }
    const lines = { type: 'MultiLineString', coordinates: [square(8.4, 49), square(8.42, 49)] }
    expect(areasOf([feature(points), feature(lines)], SIZES).map(area => area.shape.type)).toEqual([
      'circle',
      'circle',
      'corridor',
      'corridor',
    ])
  })

  it('a ring that is not closed is closed', () => {
    const open = { type: 'Polygon', coordinates: [square(8.4, 49).slice(0, 4)] }
    expect(areasOf([feature(open)])).toMatchObject([DEPOT])
  })
})
