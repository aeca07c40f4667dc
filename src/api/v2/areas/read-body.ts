import { Unzip, UnzipInflate } from 'fflate'
import type { Static } from 'typebox'
import type { WantedArea } from '../../../fleet/areas/change-areas.ts'
import { textOfBytes } from '../../../lib/text-of-bytes.ts'
import { Turns } from '../../../lib/turns.ts'
import { featuresIn, type ImportDefaults, readFeature, readGeometry } from '../../../model/areas/geojson.ts'
import { featuresOfKml } from '../../../model/areas/kml.ts'
import {
  type AreaShape,
  areaColorOf,
  areaNameOf,
  DEFAULT_AREA_COLOR,
  type DrawnArea,
} from '../../../model/areas/shape.ts'
import { badRequest, ClientError } from '../../../model/errors.ts'
import { BODY_BOUNDS, parseJson, requireBounded } from '../../../server/http/json-bounds.ts'
import { readTimestamp } from '../../schemas.ts'
import type { AreaBody, ImportBody } from './schema.ts'

/** A border of 10,000 points. */
export const DRAWING_BYTES = 1024 * 1024

/** Reads what a client wants an area to be. @throws ClientError 400 naming what is wrong. */
export function readArea({ name, kind = 'OTHER', color = DEFAULT_AREA_COLOR, ...rest }: AreaBody): WantedArea {
  const readName = areaNameOf(name)
  if (readName === undefined) throw badRequest('name must be a legible text without control characters.')
  const readColor = areaColorOf(color)
  if (readColor === undefined) throw badRequest('color must be # and six hexadecimal digits, such as #1c7ed6.')
  return { name: readName, kind, color: readColor, shape: readDrawing(rest), validFrom: validFromOf(rest) }
}

function validFromOf({ validFromTimestamp }: Pick<AreaBody, 'validFromTimestamp'>): string | undefined {
  if (validFromTimestamp === undefined) return undefined
  return validFromTimestamp === null ? '-infinity' : readTimestamp(validFromTimestamp, 'validFromTimestamp')
}

/** Reads a drawing. @throws ClientError 400 naming what is wrong. */
export function readDrawing({
  geometry,
  radiusM,
  halfWidthM,
}: Pick<AreaBody, 'geometry' | 'radiusM' | 'halfWidthM'>): AreaShape {
  const read = readGeometry(geometry, { radiusM, halfWidthM })
  if ('reason' in read) throw badRequest(`geometry ${read.reason}.`)
  return read.shape
}

/** How long areas are read before others get a turn. */
const TURN_MS = 8
/** Reading KML cannot be interrupted: so much takes a third of a second. */
const MOST_KML_CHARACTERS = 2_000_000
/** Unpacked at once: at most a thousand times as much comes out. */
const UNZIP_BYTES = 4096

const turns = new Turns<number>()

/** In turns with other accounts. @throws ClientError 400 when it holds no area; 413 when KML is too long */
export async function readImport(
  { kind = 'OTHER', radiusM, halfWidthM, ...files }: Static<typeof ImportBody>,
  accountId: number,
): Promise<{ areas: DrawnArea[]; passedOver: string[] }> {
  const defaults: ImportDefaults = { kind, radiusM, halfWidthM }
  const areas: DrawnArea[] = []
  const passedOver: string[] = []
  let begunMs = performance.now()
  for (const [index, feature] of featuresOf(files).entries()) {
    const read = readFeature(feature, index + 1, defaults)
    for (const area of read.areas) areas.push(area)
    for (const reason of read.passedOver) passedOver.push(reason)
    if (performance.now() - begunMs < TURN_MS) continue
    await turns.next(accountId)
    begunMs = performance.now()
  }
  if (areas.length === 0) throw badRequest(['The file holds no area.', ...passedOver.slice(0, 1)].join(' '))
  return { areas, passedOver }
}

function featuresOf({ geojson, kml, file }: Pick<Static<typeof ImportBody>, 'geojson' | 'kml' | 'file'>) {
  if ([geojson, kml, file].filter(each => each !== undefined).length !== 1) {
    throw badRequest('The body must have one of geojson, kml and file.')
  }
  if (geojson !== undefined) return featuresIn(geojson)
  const text = (kml ?? textOfFile(Buffer.from(file ?? '', 'base64'))).trimStart()
  if (kml === undefined && !text.startsWith('<')) {
    requireBounded(Buffer.from(text), BODY_BOUNDS)
    return featuresIn(parseJson(text, 'The file, which is neither KML nor KMZ,'))
  }
  if (text.length > MOST_KML_CHARACTERS) {
    throw new ClientError(413, `KML must have at most ${MOST_KML_CHARACTERS} characters: divide it, or send GeoJSON.`)
  }
  return featuresOfKml(text)
}

/** Of a KMZ, which is a zip archive, that of its first file of KML, as Google Earth does. */
function textOfFile(bytes: Buffer): string {
  if (bytes.toString('latin1', 0, 4) !== 'PK\x03\x04') return textOfBytes(bytes)
  const chunks: Uint8Array[] = []
  let length = 0
  const unzip = new Unzip(entry => {
    if (length > 0 || !/(?:^|\/)[^./][^/]*\.kml$/i.test(entry.name)) return
    entry.ondata = (error, chunk) => {
      if (error) throw error
      chunks.push(chunk)
      length += chunk.length
    }
    entry.start()
  })
  unzip.register(UnzipInflate)
  try {
    for (let at = 0; at < bytes.length; at += UNZIP_BYTES) {
      unzip.push(bytes.subarray(at, at + UNZIP_BYTES), at + UNZIP_BYTES >= bytes.length)
      // These are more characters than may be.
      if (length > 3 * MOST_KML_CHARACTERS) break
    }
  } catch (error) {
    throw badRequest(`The archive cannot be unpacked: ${String(error)}.`)
  }
  if (length === 0) throw badRequest('The file is an archive without KML.')
  return textOfBytes(Buffer.concat(chunks))
}
