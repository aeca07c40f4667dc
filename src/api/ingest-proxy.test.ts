import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../../test/service.ts'

let service: TestService
let key = ''
beforeAll(async () => {
  service = await startService()
  key = await service.key('Fleet')
})
afterAll(() => service.stop())

test.each([
  ['close', 'close'],
  ['keep-alive', 'keep-alive'],
])('a client that asks for a connection to %s gets it, whatever the intake keeps with us', async (wanted, got) => {
  const sent = request(`${service.url}/ingest/events`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', connection: wanted },
  })
  sent.end('[]')
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  expect(reply.statusCode).toBe(200)
  expect(reply.headers.connection).toBe(got)
  reply.destroy()
})
