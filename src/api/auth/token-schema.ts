import { Type } from 'typebox'
import { checkedByRoute } from '../schemas.ts'
import { CLIENT_ID } from './token-request.ts'

/** The parameters of a token request, for the documentation; `token-request.ts` reads and checks them. */
export const TokenRequestBody = Type.Object(
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

export const TokenReply = Type.Object(
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

export const TokenErrorBody = Type.Object(
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
