import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { networksOf } from '../../lib/networks.ts'

/** What others name requests by: UUIDs, trace ids, numbers. Nothing that could be mistaken in a log or a header. */
const WELL_FORMED = /^[\w.:-]{1,128}$/

/**
 * The id of a request, by which its lines in the log are found: the one that a trusted proxy gave it (`X-Request-Id`), else a
 * new one.
 */
export function requestIds(
  trustedProxies: readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  const proxies = networksOf(trustedProxies)
  return ({ headers, socket }) => {
    const given = headers['x-request-id']
    const isTrusted = typeof given === 'string' && WELL_FORMED.test(given) && proxies.has(socket.remoteAddress ?? '')
    return isTrusted ? given : randomUUID()
  }
}
