import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { revokeToken } from '../../access/tokens.ts'
import type { Database } from '../../db/database.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { invalidRequest } from './token-error.ts'
import { tokenParameters } from './token-parameters.ts'
import { TokenErrorBody } from './token-schema.ts'

interface RevokeRouteOptions {
  readonly database: Database
  readonly bodyLimitBytes: number
}

/**
 * POST /auth/revoke (RFC 7009): the holder of a token can revoke it, as logging out does. Clients are public, so the
 * token itself is the only proof needed. Register it with the token endpoint, whose body parsing it shares.
 */
export function revokeRoute(scope: FastifyInstance, { database, bodyLimitBytes }: RevokeRouteOptions): void {
  scope.post('/auth/revoke', {
    bodyLimit: bodyLimitBytes,
    config: { access: 'public' },
    validatorCompiler: () => value => ({ value }),
    schema: {
      tags: ['Authentication'],
      operationId: 'revokeToken',
      summary: 'Log out: end a token',
      description:
        'Beyond the original document: RFC 7009. An access token ends alone; a refresh token ends with every token of ' +
        'the same login. It takes effect everywhere within a second. A token that is not valid is answered the same.',
      security: [],
      consumes: ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'],
      body: RevokeBody,
      response: {
        200: Type.Object({}, { description: 'The token is not valid any more.' }),
        400: TokenErrorBody,
        413: TokenErrorBody,
        415: TokenErrorBody,
        503: TokenErrorBody,
      },
    },
    handler: async (request, reply) => {
      // A hint only says where to look first (RFC 7009, 2.1), and all tokens are in one place here.
      const { token } = tokenParameters(['token'], {
        url: request.url,
        contentType: request.headers['content-type'],
        body: Buffer.isBuffer(request.body) ? request.body : undefined,
      })
      if (token === undefined) throw invalidRequest('token is missing.')
      await writeTransaction(database, transaction => revokeToken(transaction, token, request.ip))
      return reply.send({})
    },
  })
}

const RevokeBody = Type.Object({
  token: Type.String({
    format: 'password',
    minLength: 1,
    description: 'The access token or refresh token.',
    examples: ['<REFRESH_TOKEN>'],
  }),
  token_type_hint: Type.Optional(
    Type.Unknown({ description: 'Which of both it is, as text; not looked at.', examples: ['refresh_token'] }),
  ),
})
