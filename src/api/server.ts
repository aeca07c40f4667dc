import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { MapFile } from '../geo/map-file.ts'
import { guardRoutes } from '../server/http/access.ts'
import { certificateFilesOf } from '../server/http/certificate.ts'
import { limitConnections, readConnectionsInTurn } from '../server/http/connections.ts'
import type { Metrics } from '../server/http/health.ts'
import { addVary } from '../server/http/reply.ts'
import { validatorCompiler } from '../server/http/schemas.ts'
import { createHttpServer } from '../server/http/server.ts'
import { SETTINGS } from '../settings.ts'
import { BaseMap, map } from './admin/map.ts'
import { operation } from './admin/operation.ts'
import { ownPassword, session } from './auth/session.ts'
import { tokenRoutes } from './auth/token.ts'
import { type ApiContext, noteWrites } from './context.ts'
import { ingestProxy } from './ingest-proxy.ts'
import { createRequestCounter } from './limits.ts'
import { TOTAL_HEADER } from './lists.ts'
import { describeRoutes, openApiRoute } from './openapi.ts'
import { createAskIntake, operations, type PartsReader, readParts } from './operations.ts'
import { consolePages, docsPage, mapTiles } from './pages.ts'
import { languageOf, languageTag, noticeRestores, RESTORED_HEADER, tagReplies } from './replies.ts'
import { ADMINISTRATION, CHANGE_KINDS, RESOURCES } from './resources.ts'
import { exports, gatherSecurityLines } from './security-lines.ts'
import { stream } from './stream/route.ts'

/** `{base_url}` of the contract, without host and port. */
export const BASE_PATH = '/cc/v2.0'

const BODY_LIMIT_BYTES = 64 * 1024

/** How long browsers that connected over TLS must keep using it: half a year. */
const HSTS_S = 180 * 86_400

/** Replies are data: browsers must not run, load or frame anything in them. Pages for people override this. */
const NOTHING_TO_RENDER = { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] }

/** The API: every resource under the base address, the token endpoint beside it. */
export async function createApiServer(context: ApiContext, metrics: Metrics, log: Logger): Promise<FastifyInstance> {
  const server = createHttpServer({
    log,
    duration: metrics.requestDuration,
    bodyLimitBytes: BODY_LIMIT_BYTES,
    trustedProxies: context.config.trustedProxies,
    transfers: context.config,
    certificate: certificateFilesOf(context.config.tlsCertFile, context.config.tlsKeyFile),
  })
  // Before the limit, which counts connections as they arrive.
  readConnectionsInTurn(server, context.config.trustedProxies)
  limitConnections(server, context.config)
  server.setValidatorCompiler(validatorCompiler)
  await server.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: NOTHING_TO_RENDER },
    // Where a proxy terminates TLS, promises for the whole domain are up to its operator.
    strictTransportSecurity: context.config.tlsCertFile !== undefined && { maxAge: HSTS_S, includeSubDomains: false },
  })
  if (context.config.corsOrigins.length > 0)
    await server.register(cors, {
      origin: [...context.config.corsOrigins],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: [
        'Link',
        TOTAL_HEADER,
        'ETag',
        'X-Rate-Limit',
        'X-Rate-Limit-Remaining',
        'X-Response-Time',
        'X-Request-Id',
        'Retry-After',
        RESTORED_HEADER,
      ],
    })
  await describeRoutes(server, context.documentedElsewhere ?? [])
  await docsPage(server)
  const mapFile =
    context.config.mapFile === undefined ? undefined : await MapFile.open(context.config.mapFile, SETTINGS.mapFile.name)
  server.addHook('onClose', () => mapFile?.close())
  const baseMap = new BaseMap(context.config, context.database.checks, context.clock)
  await consolePages(server, {
    shownMap: () => baseMap.shown(),
    map: mapFile?.description,
    teltonikaPort: context.config.teltonikaPort,
  })
  const { count, redisState } = await createRequestCounter(server, context.config, context.clock)
  const askIntake = createAskIntake(context)
  const parts: PartsReader = requestLog => readParts(context, askIntake, redisState, requestLog)
  guardRoutes(server, { callers: context.callers, countRequest: count })
  noteWrites(server, context)
  tagReplies(server)
  gatherSecurityLines(server, context, log)
  await server.register(
    async scope => {
      keepFromCaches(scope)
      answerInLanguage(scope)
      noticeRestores(scope, context.database)
      for (const resource of RESOURCES) resource(scope, context)
    },
    { prefix: BASE_PATH },
  )
  await server.register(async scope => {
    keepFromCaches(scope)
    answerInLanguage(scope)
    stream(scope, context, CHANGE_KINDS, metrics, log)
  })
  const { database, config } = context
  await server.register(tokenRoutes, {
    database,
    accessTokenLifetimeS: config.accessTokenLifetimeS,
    noteSlowed: (actor, address) =>
      server.gatheredLines.note({ kind: 'logins-slowed', actor, address, object: address }),
  })
  await server.register(async scope => {
    keepFromCaches(scope)
    session(scope, context)
    ownPassword(scope, context)
    exports(scope, context)
  })
  await server.register(
    async scope => {
      keepFromCaches(scope)
      for (const resource of ADMINISTRATION) resource(scope, context)
      map(scope, context, baseMap)
      operation(scope, context, metrics, askIntake, () => parts(log))
    },
    { prefix: '/admin' },
  )
  mapTiles(server, mapFile)
  openApiRoute(server)
  operations(server, context, metrics, askIntake, parts)
  await ingestProxy(server, context)
  return server
}

/** Neither proxies nor browsers may store personal data (RFC 9111, 5.2.2.5). `If-None-Match` still works. */
function keepFromCaches(scope: FastifyInstance): void {
  scope.addHook('onSend', async (_request, reply) => void reply.header('cache-control', 'no-store'))
}

/** States the language of a reply (decisions.md, *Reading requests*, `Accept-Language`). */
function answerInLanguage(scope: FastifyInstance): void {
  scope.addHook('onSend', async (request, reply) => {
    reply.header('content-language', languageTag(languageOf(request.headers['accept-language'])))
    addVary(reply, 'Accept-Language')
  })
}
