import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { MapDescription } from '../geo/map-file.ts'
import { hidden } from '../server/http/schemas.ts'

/** Where the build puts the console; the path is the same from the sources and from the compiled program. */
const FOLDER = fileURLToPath(new URL('../../dist/console/', import.meta.url))

const NOTHING_ELSE = "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; default-src 'none'"

/** What the operator has set that the console needs to know. */
interface ConsoleSettings {
  /** A style of another server; without it the console sends requests to this server only. */
  readonly mapStyleUrl: string | undefined
  /** The operator's own map, whose tiles this server has. */
  readonly map: MapDescription | undefined
  /** Where dongles of Teltonika report; undefined when they can not, 0 when only the intake knows. */
  readonly teltonikaPort: number | undefined
}

/**
 * The console at `/`: a client of the public API like any other. Register it before the routes are guarded, because
 * its files are public. Each file is a route of its own, so that unknown paths stay 404 (decisions.md,
 * *Addresses*). If the console was not built, the address shows the API documentation.
 *
 * @param folder where the files are
 */
export async function consolePages(
  server: FastifyInstance,
  { mapStyleUrl, map, teltonikaPort }: ConsoleSettings,
  folder: string = FOLDER,
): Promise<void> {
  if (!existsSync(folder)) {
    server.get('/', { schema: hidden }, (_request, reply) => reply.redirect('/docs'))
    return
  }
  const policy = contentSecurityPolicy(mapStyleUrl)
  const assets = join(folder, 'assets', sep)
  await server.register(fastifyStatic, {
    root: folder,
    wildcard: false,
    preCompressed: true,
    // What a file was compressed to is sent at the address of that file.
    globIgnore: ['**/*.{br,gz}'],
    schemaHide: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('content-security-policy', policy)
      // The names of built files change with their content; the page that references them must always be revalidated.
      reply.header('cache-control', path.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  const settings = {
    mapStyleUrl: mapStyleUrl ?? null,
    ...(map && { map }),
    ...(teltonikaPort !== 0 && { teltonikaPort: teltonikaPort ?? null }),
  }
  server.get('/console/settings', { schema: hidden }, () => settings)
}

/** A base map loads tiles, fonts and icons from hosts that only its style names, so with one any host is allowed. */
function contentSecurityPolicy(mapStyleUrl: string | undefined): string {
  const maps =
    mapStyleUrl === undefined ? '' : ` ${new URL(mapStyleUrl).protocol === 'https:' ? 'https:' : 'http: https:'}`
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
