import { kml as geoJsonOf } from '@tmcw/togeojson'
import { DOMParser, type Document, type Element } from '@xmldom/xmldom'
import type { Feature } from 'geojson'
import { METRES_PER_DEGREE_NORTH, metresPerDegreeEast } from '../earth.ts'
import { badRequest } from '../errors.ts'
import { turned } from './measured-shape.ts'
import type { AreaShape, CircleShape, DrawnArea, LonLat, Ring } from './shape.ts'

/** Areas as a KML 2.2 file. A circle is drawn as a polygon, a corridor as its line; what they are is beside it. */
export function kmlOf(areas: readonly DrawnArea[]): string {
  const placemarks = areas.map(placemarkOf).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document>
${placemarks}</Document></kml>
`
}

function placemarkOf({ name, kind, color, shape }: DrawnArea): string {
  const data = { kind, color, ...sizesOf(shape) }
  const values = Object.entries(data).map(([key, value]) => `<Data name="${key}"><value>${value}</value></Data>`)
  // Alpha, blue, green, red.
  const reversed = `${color.slice(5, 7)}${color.slice(3, 5)}${color.slice(1, 3)}`
  const style = `<LineStyle><color>ff${reversed}</color></LineStyle><PolyStyle><color>4d${reversed}</color></PolyStyle>`
  return `<Placemark><name>${escaped(name)}</name><Style>${style}</Style><ExtendedData>${values.join('')}</ExtendedData>${elementOf(shape)}</Placemark>\n`
}

function sizesOf(shape: AreaShape): Readonly<Record<string, number>> {
  if (shape.type === 'corridor') return { halfWidthM: shape.halfWidthM }
  if (shape.type === 'polygon') return {}
  const [longitude, latitude] = shape.center
  return { radiusM: shape.radiusM, longitude, latitude }
}

function elementOf(shape: AreaShape): string {
  if (shape.type === 'corridor') return `<LineString>${coordinatesOf(shape.line)}</LineString>`
  const polygons = shape.type === 'circle' ? [[drawnCircle(shape)]] : shape.polygons
  const elements = polygons.map(([outer = [], ...holes]) => {
    const inner = holes.map(hole => `<innerBoundaryIs>${ringOf(hole)}</innerBoundaryIs>`)
    return `<Polygon><outerBoundaryIs>${ringOf(outer)}</outerBoundaryIs>${inner.join('')}</Polygon>`
  })
  return elements.length === 1 ? elements.join('') : `<MultiGeometry>${elements.join('')}</MultiGeometry>`
}

function ringOf(ring: Ring): string {
  return `<LinearRing>${coordinatesOf(ring)}</LinearRing>`
}

function coordinatesOf(points: readonly LonLat[]): string {
  return `<coordinates>${points.map(([longitude, latitude]) => `${longitude},${latitude}`).join(' ')}</coordinates>`
}

const CORNERS_OF_CIRCLE = 72

function drawnCircle({ center: [longitude, latitude], radiusM }: CircleShape): Ring {
  return Array.from({ length: CORNERS_OF_CIRCLE + 1 }, (_, corner): LonLat => {
    const angle = (2 * Math.PI * (corner % CORNERS_OF_CIRCLE)) / CORNERS_OF_CIRCLE
    const north = (radiusM * Math.cos(angle)) / METRES_PER_DEGREE_NORTH
    const east = (radiusM * Math.sin(angle)) / metresPerDegreeEast(latitude)
    return [turned(longitude + east), latitude + north]
  })
}

function escaped(text: string): string {
  const marked = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  // Readers take them for the end of a line (XML 1.1, 2.11), unless they are written as numbers.
  return marked.replaceAll('\u2028', '&#8232;').replaceAll('\u2029', '&#8233;')
}

/** Placemarks, then pictures and links, whose geometries say what they are. @throws ClientError 400 when it is not KML */
export function featuresOfKml(text: string): readonly Feature[] {
  // KML needs none, and in one, a short text can stand for gigabytes.
  if (/<!DOCTYPE/i.test(text)) throw badRequest('The file is not KML: it has a document type.')
  try {
    // Many programs use prefixes that they do not declare.
    const prefixes = new Set(Array.from(text.matchAll(/[\s</]([\w.-]+):/g), ([, prefix = '']) => prefix))
    const xmlns = Object.fromEntries(Array.from(prefixes, prefix => [prefix, prefix]))
    const onError = (level: string, message: string) => {
      if (level === 'fatalError') throw new Error(message)
    }
    const document = new DOMParser({ xmlns, onError }).parseFromString(text, 'application/xhtml+xml')
    if (document.documentElement?.localName !== 'kml') throw new Error('it does not begin with <kml>')
    for (const element of Array.from(document.getElementsByTagName('*'))) makeUsual(element, document)
    const pictures = ['PhotoOverlay', 'ScreenOverlay'].flatMap(type =>
      Array.from(document.getElementsByTagName(type), element => {
        const name = element.getElementsByTagName('name').item(0)?.textContent
        return { type: 'Feature', properties: { name, '@geometry-type': type }, geometry: null }
      }),
    )
    return [...geoJsonOf(document).features, ...pictures].map(({ geometry, ...rest }) => {
      const type: unknown = rest.properties?.['@geometry-type']
      return { ...rest, geometry: type === undefined ? geometry : { type } } as Feature
    })
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
    throw badRequest(`The file is not KML: ${reason.slice(0, 200)}.`)
  }
}

/** As `@tmcw/togeojson` reads it, and as other programs understand it. */
function makeUsual(element: Element, document: Document): void {
  const { localName, parentNode, prefix } = element
  // The name of an author is none of a placemark.
  if (prefix !== 'atom') Object.assign(element, { prefix: null, tagName: localName })
  if (localName === 'coordinates') element.textContent = positionsIn(element.textContent ?? '').join(' ')
  if (localName === 'LinearRing' && /^(?:Placemark|MultiGeometry)$/.test(parentNode?.localName ?? '')) {
    // A ring without a polygon is not a line.
    const ring = document.createElement(localName)
    while (element.firstChild) ring.appendChild(element.firstChild)
    Object.assign(element, { localName: 'Polygon', tagName: 'Polygon' }).appendChild(ring)
  }
  // Extended data beside the name of the placemark.
  if (element.getAttribute('name') === 'name') element.setAttribute('name', 'title')
}

/** Between points are blanks and in them commas, but some programs write blanks beside commas, too, or commas between
 * points. @returns two or three numbers each, as they are written */
function positionsIn(text: string): readonly string[][] {
  const numbersIn = (word: string) => word.split(/[\s,]+/).filter(number => number !== '')
  const numbers = text.split(',').map(number => number.trim())
  for (const written of [text.trim(), numbers.join(',')]) {
    const points = written.split(/\s+/).map(numbersIn)
    if (points.every(point => point.length > 1)) return points.flatMap(pointsIn)
  }
  return pointsIn(numbersIn(text))
}

/** With altitudes, unless only without them a point is complete or the last is the first. */
function pointsIn(numbers: readonly string[]): string[][] {
  const doEndsMeet = numbers[0] === numbers.at(-2) && numbers[1] === numbers.at(-1)
  const isFlat = numbers.length % 3 !== 0 || (numbers.length > 3 && numbers.length % 2 === 0 && doEndsMeet)
  const size = isFlat ? 2 : 3
  return Array.from({ length: Math.ceil(numbers.length / size) }, (_, at) => numbers.slice(size * at, size * (at + 1)))
}
