import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

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

/** The plugin can not find them itself where its code is bundled with that of others. */
const FILES = existsSync(BUILT)
  ? BUILT
  : join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')), 'static')

/**
 * The OpenAPI document as a page for people, at /docs. Register it before the routes are guarded: the plugin's own
 * routes declare no access, and they are public.
 */
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
