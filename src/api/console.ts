import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { hidden } from '../server/http/schemas.ts'

/** Where the build puts the console; the same place seen from the sources and from what is compiled. */
const FOLDER = fileURLToPath(new URL('../../dist/console/', import.meta.url))

const NOTHING_ELSE = "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; default-src 'none'"

/**
 * The console at `/`: a client of the published API like any other. To be registered before the routes are guarded, as
 * everybody may read its files. Each file is a route of its own, so that unknown paths stay 404 (decisions.md,
 * *Addresses*). Where it was not built, the address shows the documentation of the API.
 *
 * @param mapStyleUrl where the base map comes from; without it the console asks nobody but this server
 * @param folder where the files are
 */
export async function consolePages(
  server: FastifyInstance,
  mapStyleUrl: string | undefined,
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
    schemaHide: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('content-security-policy', policy)
      // Names of built files change with their content; the page that names them must always be asked for.
      reply.header('cache-control', path.startsWith(assets) ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  const settings = { mapStyleUrl: mapStyleUrl ?? null }
  server.get('/console/settings', { schema: hidden }, () => settings)
}

/** A base map brings tiles, fonts and symbols from hosts that only its style names, so with one any host may answer. */
function contentSecurityPolicy(mapStyleUrl: string | undefined): string {
  const maps =
    mapStyleUrl === undefined ? '' : ` ${new URL(mapStyleUrl).protocol === 'https:' ? 'https:' : 'http: https:'}`
  return [
    NOTHING_ELSE,
    "script-src 'self'",
    // The component library places its popovers with style attributes.
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob:${maps}`,
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    `connect-src 'self'${maps}`,
  ].join('; ')
}
