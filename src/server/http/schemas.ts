import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'

/** The schema of a route that the OpenAPI document omits. */
export const hidden: FastifySchema & { readonly hide: true } = { hide: true }

/** Every error of the service (fleet-api-v2.md, *Errors*). */
export const ErrorBody = Type.Object(
  {
    errorMessage: Type.String({
      examples: ['fromTimestamp must be an ISO 8601 timestamp such as 2020-02-22T14:37:07.797Z.'],
    }),
  },
  { title: 'Error', description: 'What was wrong, in plain words.' },
)

const IngestReceipt = Type.Object(
  {
    accepted: Type.Integer({ description: 'Events that are now stored and were not before.' }),
    duplicates: Type.Integer({ description: 'Events that were known already and changed nothing.' }),
  },
  { title: 'IngestReceipt' },
)

/** The replies of every ingest route. */
export const ingestReplies = {
  200: IngestReceipt,
  400: ErrorBody,
  401: ErrorBody,
  403: ErrorBody,
  413: ErrorBody,
  429: ErrorBody,
  503: ErrorBody,
} as const
