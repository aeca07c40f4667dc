import { queryOptions } from '@tanstack/react-query'
import { ask } from './request.ts'

/** What the operator has set that the console needs to know. */
interface ServiceSettings {
  /** Null while nobody has chosen a map, and where a style of another server is set. */
  readonly mapChoice: 'openfreemap' | 'openstreetmap' | 'file' | 'none' | null
  /** The setting that decides which map is shown, so that nobody is asked. */
  readonly mapFixedBy: string | null
  /** A style of another server; its variant for dark surroundings, if it has one. */
  readonly mapStyleUrl: string | null
  readonly mapStyleDarkUrl: string | null
  /** Pictures of streets of another server, and pictures from above. */
  readonly mapTiles: RasterTiles | null
  readonly satellite: RasterTiles | null
  /** A map that this service has (`MAP_FILE`). */
  readonly map?: OwnMap
  /** Where devices of Teltonika report; null when they cannot, absent when this service does not know. */
  readonly teltonikaPort?: number | null
}

export interface RasterTiles {
  /** With `{z}`, `{x}` and `{y}`. */
  readonly url: string
  readonly maxZoom: number
  /** Whom the pictures are of, as plain text. */
  readonly attribution: string
}

/** A map of vector tiles that this service has. */
export interface OwnMap {
  /** Corners in degrees. */
  readonly bounds: readonly [west: number, south: number, east: number, north: number]
  readonly minZoom: number
  readonly maxZoom: number
  /** Whom the data is of, as plain text; empty where that is not known. */
  readonly attribution: string
}

/** After this long without an answer a server counts as out of reach: many networks swallow requests to the outside. */
const PATIENCE_MS = 6000

const NOTHING_SET: ServiceSettings = {
  mapChoice: null,
  mapFixedBy: null,
  mapStyleUrl: null,
  mapStyleDarkUrl: null,
  mapTiles: null,
  satellite: null,
}

let asked: Promise<ServiceSettings> | undefined

/** They change only with a restart of the service, so they are fetched once. */
export async function serviceSettings(): Promise<ServiceSettings> {
  asked ??= fetchJson('/console/settings') as Promise<ServiceSettings>
  try {
    return await asked
  } catch {
    asked = undefined
    return NOTHING_SET
  }
}

export async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
  if (!response.ok) throw new Error(`${url}: status ${response.status}`)
  return response.json()
}

/** How the service is, and whom it refused: for administrators. */
export const operationQuery = queryOptions({
  queryKey: ['administration', 'operation'],
  queryFn: ({ signal }) => ask('GET /admin/operation', { signal }),
  retry: false,
})
