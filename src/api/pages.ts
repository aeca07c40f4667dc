import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { MapDescription, MapFile, StoredTile } from '../geo/map-file.ts'
import { DEEPEST_PLACE_ZOOM, PlaceTiles, type TileAddress } from '../geo/place-tiles.ts'
import { notFound } from '../model/errors.ts'
import { integerParameter } from '../server/http/parameters.ts'
import { hidden } from '../server/http/schemas.ts'
import { type ShownMap, serversOf } from './admin/map.ts'

/** Where the build puts the console; the path is the same from the sources and from the compiled program. */
const FOLDER = fileURLToPath(new URL('../../dist/console/', import.meta.url))

const NOTHING_ELSE = "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; default-src 'none'"

/** Settings of the operator that the console needs. */
interface ConsoleSettings {
  /** Which map it draws now; without streets of others the console sends requests to this server only. */
  readonly shownMap: () => Promise<ShownMap>
  /** The operator's own map, whose tiles this server has. */
  readonly map: MapDescription | undefined
  /** Where dongles of Teltonika report; undefined when they cannot, 0 when only the intake knows. */
  readonly teltonikaPort: number | undefined
}

/** Register it before the routes are guarded: its files are public. Each file is a route of its own, so that unknown
 * paths stay 404 (decisions.md, *Addresses*). */
export async function consolePages(
  server: FastifyInstance,
  { shownMap, map, teltonikaPort }: ConsoleSettings,
  folder: string = FOLDER,
): Promise<void> {
  if (!existsSync(folder)) {
    server.get('/', { schema: hidden }, (_request, reply) => reply.redirect('/docs'))
    return
  }
  const assets = join(folder, 'assets', sep)
  await server.register(async scope => {
    scope.addHook('onRequest', async ({ url }, reply) => {
      const shown = await shownMap()
      // A worker has the policy of its own file, as browsers keep it for a year: the page decides whom the map is asked of.
      const servers = url.startsWith('/assets/') ? ['http:', 'https:'] : serversOf(shown)
      reply.header('content-security-policy', contentSecurityPolicy(servers))
      // OpenStreetMap's tiles are for pages that say where they are from; it learns the host, and no path.
      if (shown.mapTiles) reply.header('referrer-policy', 'strict-origin')
    })
    await scope.register(fastifyStatic, {
      root: folder,
      wildcard: false,
      preCompressed: true,
      // A compressed file is sent at the address of the original.
      globIgnore: ['**/*.{br,gz}'],
      schemaHide: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        // The names of built files change with their content. The page that references them is not kept: with a copy, some
        // browsers keep its former policy, too, even where they ask whether the copy is still good.
        reply.header('cache-control', path.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-store')
      },
    })
  })
  server.get('/console/settings', { schema: hidden }, async () => {
    const shown = await shownMap()
    const isOwnShown = map !== undefined && shown.mapChoice !== 'none'
    return {
      ...shown,
      ...(isOwnShown && { map }),
      ...(teltonikaPort !== 0 && { teltonikaPort: teltonikaPort ?? null }),
    }
  })
}

/** @param servers that the map is from, besides this one */
function contentSecurityPolicy(servers: readonly string[]): string {
  const maps = servers.map(server => ` ${server}`).join('')
  return [
    NOTHING_ELSE,
    "script-src 'self'",
    // The component library positions its popovers with style attributes.
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob:${maps}`,
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    `connect-src 'self'${maps}`,
  ].join('; ')
}

/** Deeper, numbers of tiles are no whole numbers any more. */
const DEEPEST_ZOOM = 26

const COLUMNS = 2 ** DEEPEST_ZOOM - 1

const TileParameters = Type.Object({
  z: integerParameter(0, DEEPEST_ZOOM, 'zoom'),
  x: integerParameter(0, COLUMNS, 'column, from the west'),
  y: integerParameter(0, COLUMNS, 'row, from the north'),
})

const route = { config: { access: 'public', etag: true }, schema: { ...hidden, params: TileParameters } } as const

/** Tiles hold no data of any account, so nobody has to log in for them, and browsers keep them. */
export function mapTiles(server: FastifyInstance, mapFile: MapFile | undefined): void {
  server.get('/console/places/:z/:x/:y', route, async ({ params }, reply) => {
    const address = addressIn(params, DEEPEST_PLACE_ZOOM)
    const places = await PlaceTiles.load()
    return sendTile(reply, { bytes: Buffer.from(places.tile(address)), encoding: undefined })
  })
  if (!mapFile) return
  server.get('/console/map/:z/:x/:y', route, async ({ params }, reply) => {
    const address = addressIn(params, mapFile.description.maxZoom)
    return sendTile(reply, (await mapFile.tile(address)) ?? { bytes: Buffer.alloc(0), encoding: undefined })
  })
}

/** @throws ClientError 404 for a tile that the grid does not have */
function addressIn(params: unknown, deepestZoom: number): TileAddress {
  const address = params as TileAddress
  const { z, x, y } = address
  if (z > deepestZoom || x >= 2 ** z || y >= 2 ** z) throw notFound('A tile of that address')
  return address
}

/** An empty tile is an answer as well: 204, so that browsers keep that there is nothing. */
function sendTile(reply: FastifyReply, { bytes, encoding }: StoredTile): FastifyReply {
  reply.header('cache-control', 'public, max-age=86400')
  if (bytes.length === 0) return reply.code(204).send()
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply.type('application/vnd.mapbox-vector-tile').send(bytes)
}

/** The page loads everything from this server. Its style sheet contains images as data URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Where the build puts the files of the page; the path is the same from the sources and from the compiled program. */
const BUILT = fileURLToPath(new URL('../../dist/docs-page/', import.meta.url))

/** The plugin cannot find them itself where its code is bundled with that of others. */
const FILES = existsSync(BUILT)
  ? BUILT
  : join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')), 'static')

/** /docs. Register it before the routes are guarded: the plugin's routes declare no access, and they are public. */
export async function docsPage(server: FastifyInstance): Promise<void> {
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    baseDir: FILES,
    logo: { type: 'image/svg+xml', content: readFileSync(join(FILES, 'logo.svg')) },
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'Tacho API' },
    // Without the top bar, which asks for the URL of another document.
    uiConfig: { layout: 'BaseLayout', docExpansion: 'list', persistAuthorization: true, tryItOutEnabled: true },
  })
}
