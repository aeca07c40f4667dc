import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { CallerLookup } from '../access/callers.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { MachineWatch } from '../server/watch/machine-watch.ts'
import type { DocumentedRoute } from './openapi.ts'

/** What a resource gets to build its routes. */
export interface ApiContext {
  readonly config: Config
  readonly database: Database
  readonly callers: CallerLookup
  /** What operators are to know of machine and database. */
  readonly machine: Pick<MachineWatch, 'figures'>
  readonly clock: Clock
  /** Where the intake listens; undefined while it is not running. */
  readonly intakeUrl: () => string | undefined
  /** Routes that other processes serve under the same address: part of the one OpenAPI document. */
  readonly documentedElsewhere?: readonly DocumentedRoute[]
}

/** The server as routes see it: the schema on a route types its handler. */
export type ApiServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** A resource of the API: registers its routes under the base address. */
export type Resource = (server: ApiServer, context: ApiContext) => void
