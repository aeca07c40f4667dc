import type { Static } from 'typebox'
import { Turns } from '../../../lib/turns.ts'
import type { DrawnArea } from '../../../model/areas/drawn-area.ts'
import { featuresIn, type ImportDefaults, readFeature } from '../../../model/areas/geojson.ts'
import { badRequest, ClientError } from '../../../model/errors.ts'
import type { ImportBody } from './schema.ts'

/** How long areas are read before others get a turn. */
const TURN_MS = 8
/** Reading KML can not be interrupted: so much takes a third of a second. */
const MOST_KML_CHARACTERS = 2_000_000

const turns = new Turns<number>()

/**
 * Reads the areas of a file, in turns with other accounts.
 * @throws ClientError 400 naming the first one that is wrong; 413 when KML is too long.
 */
export async function readImport(
  { geojson, kml, kind = 'OTHER', radiusM, halfWidthM }: Static<typeof ImportBody>,
  accountId: number,
): Promise<DrawnArea[]> {
  const features = await featuresOf(geojson, kml)
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

async function featuresOf(geojson: unknown, kml: string | undefined): Promise<readonly unknown[]> {
  if ((geojson === undefined) === (kml === undefined)) throw badRequest('The body must have either geojson or kml.')
  if (kml === undefined) return featuresIn(geojson)
  if (kml.length > MOST_KML_CHARACTERS) {
    throw new ClientError(
      413,
      `kml must have at most ${MOST_KML_CHARACTERS} characters: divide the file, or send GeoJSON.`,
    )
  }
  // Loaded only here: it takes 15 ms, and few ever read such a file.
  const { featuresOfKml } = await import('../../../model/areas/read-kml.ts')
  return featuresOfKml(kml)
}
