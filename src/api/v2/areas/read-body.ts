import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { WantedArea } from '../../../fleet/areas/change-areas.ts'
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
import { requireBounded } from '../../../server/http/json-bounds.ts'
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

const turns = new Turns<number>()

/** In turns with other accounts. @throws ClientError 400 naming the first wrong one; 413 when KML is too long */
export async function readImport(
  { geojson, kml, kind = 'OTHER', radiusM, halfWidthM }: Static<typeof ImportBody>,
  accountId: number,
): Promise<DrawnArea[]> {
  const features = featuresOf(geojson, kml)
  if (features.length === 0) throw badRequest('The file holds no area.')
  const defaults: ImportDefaults = { kind, radiusM, halfWidthM }
  const areas: DrawnArea[] = []
  let begunMs = performance.now()
  for (const feature of features) {
    areas.push(readFeature(feature, areas.length + 1, defaults))
    if (performance.now() - begunMs < TURN_MS) continue
    await turns.next(accountId)
    begunMs = performance.now()
  }
  return areas
}

function featuresOf(geojson: unknown, kml: string | undefined): readonly unknown[] {
  if ((geojson === undefined) === (kml === undefined)) throw badRequest('The body must have either geojson or kml.')
  if (kml === undefined) return featuresIn(geojson)
  if (kml.length > MOST_KML_CHARACTERS) {
    throw new ClientError(
      413,
      `kml must have at most ${MOST_KML_CHARACTERS} characters: divide the file, or send GeoJSON.`,
    )
  }
  return featuresOfKml(kml)
}

/** Deeper than any GeoJSON, and more values than fit into the bodies of these routes unless they are made to be many. */
const BOUNDS = { depth: 16, values: 2_000_000 }

/** Reads the long JSON bodies of a scope: bounded before they are parsed. */
export function boundJsonBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    try {
      requireBounded(body, BOUNDS)
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
      return
    }
    void parse(request, body.toString('utf8'), done)
  })
}
