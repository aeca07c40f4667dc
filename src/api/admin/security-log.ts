import { type Static, Type } from 'typebox'
import { readSecurityLog, SECURITY_KINDS, type SecurityKind, type WrittenLine } from '../../access/security-log.ts'
import {
  cursorParameter,
  DEFAULT_MAX_RESULTS,
  maxResultsParameter,
  textParameter,
  timestampParameter,
  wordsParameter,
} from '../../server/http/parameters.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import { type Resource, routesOf } from '../context.ts'
import { linkNext, readCursor } from '../lists.ts'
import { instant, nullable } from '../schemas.ts'

/** /admin/security-log: who did what in the caller's account, and from where. */
export const securityLog: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'administration', tag: 'Administration', isUntranslated: true })
  route('GET /security-log', {
    operationId: 'getSecurityLog',
    summary: 'See who did what',
    description:
      'Logins and failed ones, administration, exports, and reading of positions (one line for a caller, vehicle and ' +
      'hour). The newest first; a Link header leads to the rest. Nobody can change a line; SECURITY_LOG_DAYS says how ' +
      'long they are kept.',
    query: SecurityLogQuery,
    reply: SecurityLog,
    answer: async asked => {
      const { accountId, reads } = asked
      const { kind: kinds, maxResults: limit = DEFAULT_MAX_RESULTS, cursor, ...range } = asked.query
      const place = readCursor(cursor, ['instant', 'number'])
      const before = place && { time: String(place[0]), id: Number(place[1]) }
      const found = await readSecurityLog(reads, { accountId, ...range, kinds, before }, limit + 1)
      const lines = found.slice(0, limit)
      const last = lines.at(-1)
      if (found.length > limit && last) linkNext(asked.request, asked.reply, [last.time, last.id])
      return { lines: lines.map(lineOf) }
    },
  })
}

function lineOf({ id, time, kind, callerKind, callerId, callerName, address, details }: WrittenLine): SecurityLine {
  return {
    id: String(id),
    timestamp: millisecondText(time),
    kind,
    caller: { kind: callerKind, id: callerId === null ? null : String(callerId), name: callerName },
    address,
    details,
  }
}

const SecurityLogQuery = Type.Object({
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

const SecurityLine = Type.Object(
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
type SecurityLine = Static<typeof SecurityLine>

const SecurityLog = Type.Object(
  { lines: Type.Array(SecurityLine, { description: 'The newest first.' }) },
  { title: 'SecurityLog' },
)
