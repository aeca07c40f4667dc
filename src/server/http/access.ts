import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller, CallerLookup } from '../../access/callers.ts'
import type { Permission } from '../../catalogue/permissions.ts'
import { ClientError, forbidden } from '../../model/errors.ts'

/** Callers of a route: everybody, every valid token, users but no keys, or a token with the permission for that type of data. */
export type Access = 'public' | 'any' | 'user' | Permission

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly access?: Access
    /** The query parameter that may contain the key, for senders that can only be given a URL. */
    readonly keyParameter?: string
  }
  interface FastifyRequest {
    caller: Caller | undefined
  }
}

export const KEY_PARAMETER = 'key'

interface AccessOptions {
  readonly callers: CallerLookup
  /** Counts a request of a valid token; throws 429 when there were too many. */
  readonly countRequest?: (request: FastifyRequest, reply: FastifyReply, caller: Caller) => Promise<void>
}

/** By the `access` in a route's config: 401, 429, 403 (decisions.md). A route without it makes the start fail. */
export function guardRoutes(server: FastifyInstance, { callers, countRequest }: AccessOptions): void {
  server.decorateRequest('caller', undefined)
  server.addHook('onRoute', ({ url, config }) => {
    if (config?.access === undefined) throw new Error(`the route ${url} does not say who may use it`)
  })
  /** 404 and 405 come before 401 and 429, but a valid token counts (decisions.md, *rate limit*). */
  const countUnrouted = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      request.caller = await authenticate(callers, request)
      await countRequest?.(request, reply, request.caller)
    } catch {
      // No token, an unknown one, or too many requests.
    }
  }
  server.addHook('onRequest', async (request, reply) => {
    const { access } = request.routeOptions.config
    if (request.is404) return countUnrouted(request, reply)
    if (access === undefined || access === 'public') return
    const caller = await authenticate(callers, request)
    request.caller = caller
    await countRequest?.(request, reply, caller)
    if (access === 'any') return
    if (access === 'user') {
      if (caller.kind !== 'user') throw new ClientError(403, 'This is for users: a key has no password and no login.')
    } else if (!caller.permissions.has(access)) throw forbidden(access)
  })
}

export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('a public route has no caller')
  return request.caller
}

async function authenticate(callers: CallerLookup, request: FastifyRequest): Promise<Caller> {
  const token = tokenOf(request)
  const caller = token === undefined ? undefined : await callers.find(token)
  if (!caller) throw new ClientError(401, 'Unauthorized.', { headers: { 'www-authenticate': 'Bearer' } })
  return caller
}

export function tokenOf(request: FastifyRequest): string | undefined {
  return /^Bearer +([\w\-.~+/]+=*) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? keyInQuery(request)
}

function keyInQuery({ query, routeOptions }: FastifyRequest): string | undefined {
  const { keyParameter } = routeOptions.config
  if (keyParameter === undefined) return undefined
  const key = (query as Readonly<Record<string, unknown>>)[keyParameter]
  return typeof key === 'string' ? key : undefined
}
