import type { FastifySchema } from 'fastify'

/** The schema of a route that is kept out of the OpenAPI document. */
export const hidden: FastifySchema & { readonly hide: true } = { hide: true }
