import type { FastifyInstance, HTTPMethods } from 'fastify'
import { ClientError } from '../../model/errors.ts'
import { hidden } from './schemas.ts'

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/**
 * Answers 405 with `Allow` for every path that exists with other methods. Call before the routes are registered;
 * call what it returns after the last one.
 */
export function refuseOtherMethods(server: FastifyInstance): () => void {
  const methodsByUrl = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    methodsByUrl.set(url, methods)
  })
  return () => {
    for (const [url, methods] of new Map(methodsByUrl)) {
      const allowed = METHODS.filter(name => methods.has(name))
      const others = METHODS.filter(name => !methods.has(name))
      if (others.length === 0 || url.includes('*')) continue
      server.route({
        method: others,
        url,
        config: { access: 'public' },
        schema: hidden,
        handler: request => {
          throw new ClientError(405, `${request.method} is not possible here; ${allowed.join(', ')} is.`, {
            headers: { allow: allowed.join(', ') },
          })
        },
      })
    }
  }
}
