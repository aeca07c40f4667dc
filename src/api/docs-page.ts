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

/**
 * The OpenAPI document as a page for people, at /docs. Register it before the routes are guarded: the plugin's own
 * routes declare no access, and they are public.
 */
export async function docsPage(server: FastifyInstance): Promise<void> {
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'Tacho API' },
    // Without the top bar, which asks for the URL of another document.
    uiConfig: { layout: 'BaseLayout', docExpansion: 'list', persistAuthorization: true, tryItOutEnabled: true },
  })
}
