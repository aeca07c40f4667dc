import type { FastifyInstance, HTTPMethods } from 'fastify'
import findMyWay from 'find-my-way'

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

/** A path that exists, as it is registered, and its methods in the order of `Allow`. */
interface KnownPath {
  readonly url: string
  readonly methods: readonly string[]
}

/** How paths are compared; the routes of the server and these must agree. */
export const PATH_OPTIONS = { ignoreTrailingSlash: true, maxParamLength: 1000 } as const

/**
 * Tells of a request that no route answers whether its path exists with other methods. Call before routes are registered. A route for
 * each path and method that is refused would do the same, and take a tenth of the time that the process needs to start.
 */
export function knowPaths(server: FastifyInstance): (path: string) => KnownPath | undefined {
  const methodsByUrl = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    methodsByUrl.set(url, methods)
  })
  let paths: ReturnType<typeof findMyWay> | undefined
  return path => {
    if (!paths) {
      paths = findMyWay(PATH_OPTIONS)
      for (const [url, methods] of methodsByUrl) {
        const known: KnownPath = { url, methods: METHODS.filter(name => methods.has(name)) }
        paths.on('GET', url, () => undefined, known)
      }
    }
    const known: KnownPath | undefined = paths.find('GET', path)?.store
    return known
  }
}
