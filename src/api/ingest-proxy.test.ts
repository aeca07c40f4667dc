import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { startService } from '../../test/service.ts'

let key = ''
const service = await startService()
key = await service.key('Fleet')
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

test.each(['x=%ff', 'x=%c0%80', 'x=%', 'x=%2e%2e/../..', 'x=a%20b+c', 'x=?&x=#'])(
  'a query passes as it came, also one that nobody can decode: %s',
  async query => {
    const ask = async (url: string) => {
      const reply = await fetch(`${url}/ingest/osmand?key=${key}&id=17&${query}`)
      return { status: reply.status, body: await reply.json() }
    }
    expect(await ask(service.url)).toEqual(await ask(service.intakeUrl))
    expect((await ask(service.url)).status).toBe(200)
  },
)
