import { readSecurityLog, type WrittenLine } from '../../../access/security-log.ts'
import { callerOf } from '../../../server/http/access.ts'
import { DEFAULT_MAX_RESULTS } from '../../../server/http/parameters.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import type { Resource } from '../../context.ts'
import { linkNext, readCursor } from '../../paging.ts'
import { errorReplies } from '../../schemas.ts'
import { type SecurityLine, SecurityLog, SecurityLogQuery } from './schema.ts'

/** /admin/security-log: who did what in the caller's account, and from where. */
export const securityLog: Resource = (server, { database }) => {
  server.get(
    '/security-log',
    {
      config: { access: 'administration' },
      schema: {
        tags: ['Administration'],
        operationId: 'getSecurityLog',
        summary: 'See who did what',
        description:
          'Logins and failed ones, administration, exports, and reading of positions (one line for a caller, vehicle and ' +
          'hour). The newest first; a Link header leads to the rest. Nobody can change a line; SECURITY_LOG_DAYS says how ' +
          'long they are kept.',
        querystring: SecurityLogQuery,
        response: { 200: SecurityLog, ...errorReplies },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request)
      const { kind: kinds, maxResults: limit = DEFAULT_MAX_RESULTS, cursor, ...range } = request.query
      const place = readCursor(cursor, ['instant', 'number'])
      const before = place && { time: String(place[0]), id: Number(place[1]) }
      const found = await readSecurityLog(
        database.readsOf(accountId),
        { accountId, ...range, kinds, before },
        limit + 1,
      )
      const lines = found.slice(0, limit)
      const last = lines.at(-1)
      if (found.length > limit && last) linkNext(request, reply, [last.time, last.id])
      return { lines: lines.map(lineOf) }
    },
  )
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
