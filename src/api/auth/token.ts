import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type LoginTerms, logIn } from '../../access/login.ts'
import type { Actor } from '../../access/security-log.ts'
import { type IssuedTokens, refreshTokens, revokeToken } from '../../access/tokens.ts'
import type { Database } from '../../db/database.ts'
import { clientErrorOf } from '../../db/faults.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { ClientError } from '../../model/errors.ts'
import { clientNetwork } from '../../server/http/connections.ts'
import { checkedByRoute } from '../schemas.ts'
import { tooManyGuesses } from './session.ts'
import {
  CLIENT_ID,
  invalidRequest,
  readTokenRequest,
  type TokenRequest,
  tokenError,
  tokenParameters,
} from './token-request.ts'

interface TokenRoutesOptions {
  readonly database: Database
  readonly accessTokenLifetimeS: number
  /** Called for each login attempt that was rejected without checking the password. */
  readonly noteSlowed?: (user: Actor, address: string) => void
}

/** Far longer than any token request. */
const BODY_LIMIT_BYTES = 16 * 1024

/** Also at the root, where a public client of the original posts (decisions.md, *Addresses*). Register it as a plugin,
 * because it parses bodies in its own way. */
export async function tokenRoutes(scope: FastifyInstance, options: TokenRoutesOptions): Promise<void> {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
  scope.setErrorHandler(error => {
    throw withCode(error)
  })
  // RFC 6749, 5.1: no cache may keep a token.
  scope.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache')
  })
  for (const route of [
    { url: '/auth/token', operationId: 'issueTokens', summary: 'Get an access token' },
    { url: '/', operationId: 'issueTokensAtRoot', summary: 'Get an access token (the same endpoint)' },
  ])
    scope.post(route.url, {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { access: 'public' },
      // The schema only documents; missing or wrong parameters are reported with the codes of RFC 6749.
      validatorCompiler: () => value => ({ value }),
      schema: { ...documentation, operationId: route.operationId, summary: route.summary },
      handler: (request, reply) => answer(request, reply, options),
    })
  revokeRoute(scope, { database: options.database, bodyLimitBytes: BODY_LIMIT_BYTES })
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { database, noteSlowed, accessTokenLifetimeS }: TokenRoutesOptions,
): Promise<FastifyReply> {
  const asked = readTokenRequest({
    url: request.url,
    contentType: request.headers['content-type'],
    authorization: request.headers.authorization,
    body: Buffer.isBuffer(request.body) ? request.body : undefined,
  })
  const tokens = await exchange({ database, ...(noteSlowed && { noteSlowed }) }, asked, {
    address: request.ip,
    network: clientNetwork(request.ip),
    accessTokenLifetimeS,
    rotates: asked.rotates,
  })
  return reply.send({
    expires_in: tokens.expiresInS,
    token_type: 'bearer',
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
  })
}

async function exchange(
  { database, noteSlowed: note }: Pick<TokenRoutesOptions, 'database' | 'noteSlowed'>,
  asked: TokenRequest,
  terms: LoginTerms,
): Promise<IssuedTokens> {
  if (asked.grantType === 'refresh_token') {
    // Not slowed down: 256 random bits cannot be guessed.
    const tokens = await writeTransaction(database, transaction =>
      refreshTokens(transaction, asked.refreshToken, terms),
    )
    if (!tokens) throw tokenError(400, 'invalid_grant', 'The refresh token is not valid or has expired.')
    return tokens
  }
  const outcome = await logIn(database, asked, terms)
  if (outcome.kind === 'admitted') return outcome.tokens
  if (outcome.kind === 'refused') throw tokenError(400, 'invalid_grant', 'The e-mail address or the password is wrong.')
  if (outcome.user && note) note(outcome.user, terms.address)
  const { message, headers } = tooManyGuesses(outcome.waitS)
  throw tokenError(429, 'temporarily_unavailable', message, { headers })
}

/** Errors of this endpoint carry the error code that OAuth clients expect; unexpected errors pass unchanged. */
function withCode(error: unknown): unknown {
  const known = clientErrorOf(error) ?? refusalOfFramework(error)
  if (!known || known.extra.error !== undefined) return error
  const code = known.status >= 500 ? 'temporarily_unavailable' : 'invalid_request'
  return tokenError(known.status, code, known.message, known)
}

function refusalOfFramework(error: unknown): ClientError | undefined {
  if (!(error instanceof Error)) return undefined
  const { statusCode = 500 } = error as FastifyError
  if (statusCode === 413) return new ClientError(413, `The body is too large: ${BODY_LIMIT_BYTES} bytes are allowed.`)
  return statusCode >= 400 && statusCode < 500 ? new ClientError(statusCode, 'The body cannot be read.') : undefined
}

interface RevokeRouteOptions {
  readonly database: Database
  readonly bodyLimitBytes: number
}

/** POST /auth/revoke (RFC 7009): clients are public, so the token itself is the only proof needed. */
function revokeRoute(scope: FastifyInstance, { database, bodyLimitBytes }: RevokeRouteOptions): void {
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

/** The parameters of a token request, for the documentation; `token-request.ts` reads and checks them. */
const TokenRequestBody = Type.Object(
  {
    grant_type: Type.String({
      enum: ['password', 'refresh_token'],
      description: 'What is exchanged for tokens.',
      examples: ['password'],
    }),
    username: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'With `password`: e-mail address of the user.',
        examples: ['operator@example.com'],
      }),
    ),
    password: Type.Optional(
      Type.String({
        format: 'password',
        minLength: 1,
        description: 'With `password`: password of the user.',
        examples: ['<PASSWORD>'],
      }),
    ),
    refresh_token: Type.Optional(
      Type.String({
        format: 'password',
        minLength: 1,
        description:
          'With `refresh_token`: one from an earlier reply. It stays valid: each use renews its 180 days, unless the ' +
          'refresh tokens of the login rotate.',
        examples: ['<REFRESH_TOKEN>'],
      }),
    ),
    rotate_refresh_tokens: Type.Optional(
      Type.String({
        enum: ['true', 'false'],
        description:
          'Beyond the original document. `true`: this client stores the refresh token of every reply, and each refresh ' +
          'token of this login is to be used once. One that comes again after its successor was used ends the login ' +
          '(RFC 9700, 4.14.2). A login that rotates goes on to do so.',
        examples: ['true'],
      }),
    ),
    client_id: Type.Optional(
      Type.String({
        enum: [CLIENT_ID],
        description: 'The application id; may be left out.',
        examples: [CLIENT_ID],
      }),
    ),
  },
  {
    title: 'TokenRequest',
    ...checkedByRoute({
      if: { properties: { grant_type: { enum: ['password'] } } },
      // oxlint-disable-next-line unicorn/no-thenable
      then: { required: ['username', 'password'] },
      else: { required: ['refresh_token'] },
    }),
  },
)

const TokenReply = Type.Object(
  {
    expires_in: Type.Integer({ description: 'Seconds the access token is valid.', examples: [864_000] }),
    token_type: Type.String({ description: 'Always `bearer`.', examples: ['bearer'] }),
    access_token: Type.String({
      description: 'To be sent with every request: `Authorization: Bearer <ACCESS_TOKEN>`.',
      examples: ['yRzTXrM8rUkJQmJhQd3mAjv0N0iEBbFbYmQ0bVv1w5k'],
    }),
    refresh_token: Type.String({
      description: 'To be exchanged for a new access token later.',
      examples: ['0aQ2sCtyBpXjA9xRlrVb7T8oGg0jFz2eJ4d5kWq1uHc'],
    }),
  },
  { title: 'TokenReply', description: 'Tokens issued.' },
)

const TokenErrorBody = Type.Object(
  {
    errorMessage: Type.String({ examples: ['The e-mail address or the password is wrong.'] }),
    error: Type.Optional(
      Type.String({ description: 'The kind of error (RFC 6749, 5.2).', examples: ['invalid_grant'] }),
    ),
    error_description: Type.Optional(
      Type.String({
        description: 'The same text as `errorMessage`.',
        examples: ['The e-mail address or the password is wrong.'],
      }),
    ),
  },
  { title: 'TokenError', description: 'What was wrong, in plain words and as RFC 6749 names it.' },
)

const documentation = {
  tags: ['Authentication'],
  description:
    'Exchanges the password of a user, or a refresh token, for tokens. The parameters may also stand in the query ' +
    'string, all or some of them; where both have one, the body wins.',
  security: [],
  consumes: ['application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'],
  body: TokenRequestBody,
  response: {
    200: TokenReply,
    400: TokenErrorBody,
    401: TokenErrorBody,
    413: TokenErrorBody,
    415: TokenErrorBody,
    429: TokenErrorBody,
    503: TokenErrorBody,
  },
}
