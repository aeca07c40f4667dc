import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, FastifySchemaCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Caller, CallerLookup } from '../access/callers.ts'
import type { Config } from '../config.ts'
import type { AccountReads } from '../db/account-reads.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { notFound } from '../model/errors.ts'
import { type Access, callerOf, tokenOf } from '../server/http/access.ts'
import { goneSignal } from '../server/http/reply.ts'
import { ErrorBody } from '../server/http/schemas.ts'
import type { MachineWatch } from '../server/watch/machine-watch.ts'
import type { DocumentedRoute } from './openapi.ts'
import { type Language, languageOf } from './replies.ts'
import { changeReplies, errorReplies, languageHeader, NoContent } from './schemas.ts'

export interface ApiContext {
  readonly config: Config
  readonly database: Database
  readonly callers: CallerLookup
  readonly machine: Pick<MachineWatch, 'figures'>
  readonly clock: Clock
  /** Where the intake listens; undefined while it is not running. */
  readonly intakeUrl: () => string | undefined
  /** Routes that other processes serve under the same address: part of the one OpenAPI document. */
  readonly documentedElsewhere?: readonly DocumentedRoute[]
}

/** A resource of the API: registers its routes under the base address. */
export type Resource = (server: FastifyInstance, context: ApiContext) => void

/** A request to a route, whose parts have been read by the schemas of the route. */
export class Asked<Params, Query, Body> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Caller
  readonly maySeePositions: boolean
  readonly #database: Database
  #language: Language | undefined
  #reads: AccountReads | undefined
  #history: AccountReads | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, database: Database) {
    this.request = request
    this.reply = reply
    this.caller = callerOf(request)
    this.maySeePositions = this.caller.permissions.has('positions')
    this.#database = database
  }

  get params(): Params {
    return this.request.params as Params
  }

  get query(): Query {
    return this.request.query as Query
  }

  get body(): Body {
    return this.request.body as Body
  }

  get accountId(): number {
    return this.caller.accountId
  }

  /** Of translated text in the reply. */
  get language(): Language {
    return (this.#language ??= languageOf(this.request.headers['accept-language']))
  }

  /** Reads in the turn of the account, only while the client waits for the reply. */
  get reads(): AccountReads {
    return (this.#reads ??= this.#database.readsOf(this.accountId, { signal: goneSignal(this.reply) }))
  }

  /** The same for long reads of the past, which a replica can do. Not for lists that clients sync. */
  get history(): AccountReads {
    return (this.#history ??= this.#database.historyOf(this.accountId, { signal: goneSignal(this.reply) }))
  }
}

interface RouteOptions<P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema> {
  readonly access?: Access
  readonly summary: string
  readonly description?: string
  readonly operationId?: string
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly reply?: R
  readonly isCreated?: true
  /** Errors besides those that every such route has. */
  readonly fails?: readonly (404 | 409 | 413 | 415)[]
  readonly hasEtag?: true
  readonly headers?: TSchema
  readonly bodyLimit?: number
  readonly validatorCompiler?: FastifySchemaCompiler<TSchema>
  /** @returns the body of the reply, or the reply where it has been sent */
  readonly answer: (
    asked: Asked<Static<P>, Static<Q>, Static<B>>,
  ) => Promise<Static<R> | FastifyReply> | Static<R> | FastifyReply
}

interface RouteDefaults {
  readonly access: Access
  readonly tag: string
  /** Replies have no translated text. */
  readonly isUntranslated?: true
}

/** `route('GET /trips', { … })`; several methods are separated by commas. */
export function routesOf(
  server: FastifyInstance,
  { database }: Pick<ApiContext, 'database'>,
  { access: usualAccess, tag, isUntranslated }: RouteDefaults,
) {
  return <P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema>(
    address: string,
    options: RouteOptions<P, Q, B, R>,
  ): void => {
    const [methods = '', url = ''] = address.split(' ')
    const { summary, description, operationId, params, query, body, reply, fails = [], answer } = options
    const { access = usualAccess, hasEtag, headers = isUntranslated ? undefined : languageHeader } = options
    const { bodyLimit, validatorCompiler } = options
    const status = options.isCreated ? 201 : reply ? 200 : 204
    const response = {
      [status]: reply ?? NoContent,
      ...(body ? changeReplies : errorReplies),
      ...Object.fromEntries(fails.map(code => [code, ErrorBody])),
    }
    const schema = {
      tags: [tag],
      summary,
      description,
      operationId,
      headers,
      params,
      querystring: query,
      body,
      response,
    }
    server.route({
      method: methods.split(','),
      url,
      config: { access, ...(hasEtag && { etag: true }) },
      schema: Object.fromEntries(Object.entries(schema).filter(([, part]) => part !== undefined)) as FastifySchema,
      ...(bodyLimit !== undefined && { bodyLimit }),
      ...(validatorCompiler && { validatorCompiler }),
      handler: async (request, answered) => {
        answered.code(status)
        const result = await answer(new Asked(request, answered, database))
        return status === 204 ? answered.send(null) : result
      },
    })
  }
}

/** @throws ClientError 404 where there is no such thing */
export function orNotFound<Thing>(thing: Thing | undefined, name: string): Thing {
  if (thing === undefined) throw notFound(name)
  return thing
}

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Where trackers send, one of them with GET. */
const INGEST = '/ingest/'

/** Keeps an account from reading from a replica what is older than its own changes: notes them before each reply. */
export function noteWrites(
  server: FastifyInstance,
  { callers, database }: Pick<ApiContext, 'callers' | 'database'>,
): void {
  const { replica } = database
  if (!replica) return
  server.addHook('onSend', async request => {
    if (READING.has(request.method) && !request.url.startsWith(INGEST)) return
    // A request that is passed on to the intake is checked there.
    const token = request.caller ? undefined : tokenOf(request)
    const caller = request.caller ?? (token === undefined ? undefined : await callers.find(token))
    if (caller) replica.wrote(caller.accountId)
  })
}
