import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'

/** The page brings everything it needs and asks nobody but this server. Its style sheet holds images as data. */
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

/**
 * The OpenAPI document as a page for people, at /docs. To be registered before the routes are guarded: the plugin's
 * own routes know nothing of access, and everybody may read them.
 */
export async function docsPage(server: FastifyInstance): Promise<void> {
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'Tacho API' },
    // Without the bar on top, which would ask for another document.
    uiConfig: { layout: 'BaseLayout', docExpansion: 'list', persistAuthorization: true, tryItOutEnabled: true },
  })
}
