import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { requestIds } from './request-ids.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const idOf = (from: string, given: string | undefined, proxies: readonly string[] = ['192.0.2.1', '::1']) =>
  requestIds(proxies)({
    headers: given === undefined ? {} : { 'x-request-id': given },
    socket: { remoteAddress: from } as IncomingMessage['socket'],
  })

test('a trusted proxy names a request, anybody else does not', () => {
  expect(idOf('192.0.2.1', 'trace.1:7-a')).toBe('trace.1:7-a')
  expect(idOf('::ffff:192.0.2.1', 'trace.1:7-a')).toBe('trace.1:7-a')
  expect(idOf('192.0.2.2', 'trace.1:7-a')).toMatch(UUID)
  expect(idOf('192.0.2.1', undefined)).toMatch(UUID)
  expect(idOf('192.0.2.1', 'trace', [])).toMatch(UUID)
})

test.each(['', 'a b', 'a\nb', '"', '{"reqId":1}', 'ä', 'x'.repeat(129)])('%j is no name', given => {
  expect(idOf('192.0.2.1', given)).toMatch(UUID)
})
