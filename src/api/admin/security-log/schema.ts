import { type Static, Type } from 'typebox'
import { SECURITY_KINDS, type SecurityKind } from '../../../access/security-log.ts'
import {
  cursorParameter,
  maxResultsParameter,
  textParameter,
  timestampParameter,
  wordsParameter,
} from '../../../server/http/parameters.ts'
import { instant, nullable } from '../../schemas.ts'

export const SecurityLogQuery = Type.Object({
  fromTimestamp: Type.Optional(timestampParameter('Start of the range, inclusive.')),
  toTimestamp: Type.Optional(timestampParameter('End of the range, inclusive.')),
  caller: Type.Optional(
    textParameter('Only lines of the user with this e-mail address, or of the key with this name.', [
      'operator@example.com',
    ]),
  ),
  kind: Type.Optional(wordsParameter(SECURITY_KINDS, 'Only lines of these kinds, separated by commas.')),
  maxResults: Type.Optional(maxResultsParameter()),
  cursor: Type.Optional(cursorParameter()),
})

/** A line of the security log. */
export const SecurityLine = Type.Object(
  {
    id: Type.String({ description: 'Id of the line.', examples: ['4711'] }),
    timestamp: instant('When it happened.'),
    kind: Type.Unsafe<SecurityKind>({ type: 'string', enum: SECURITY_KINDS, description: 'What happened.' }),
    caller: Type.Object(
      {
        kind: Type.Unsafe<'user' | 'key' | 'service'>({
          type: 'string',
          enum: ['user', 'key', 'service'],
          description: 'A user, a key, or the service itself.',
        }),
        id: nullable(Type.String({ description: 'Id of the user or key; null of the service.', examples: ['7'] })),
        name: Type.String({
          description: 'E-mail address of the user, or name of the key, as it was then.',
          examples: ['operator@example.com'],
        }),
      },
      { description: 'Who did it; of a login that failed, whose it would have been.' },
    ),
    address: nullable(
      Type.String({ description: 'The address of the client; null where there is none.', examples: ['192.0.2.7'] }),
    ),
    details: Type.Record(Type.String(), Type.Unknown(), {
      description: 'More about it, such as the user who was changed (`email`) or the vehicle (`object`).',
    }),
  },
  { title: 'SecurityLine', description: 'Who did what, when, and from where.' },
)
export type SecurityLine = Static<typeof SecurityLine>

export const SecurityLog = Type.Object(
  { lines: Type.Array(SecurityLine, { description: 'The newest first.' }) },
  { title: 'SecurityLog' },
)
