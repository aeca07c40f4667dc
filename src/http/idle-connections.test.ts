import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { endIdleConnections } from './idle-connections.ts'

test('a stop waits for the request in flight, not for the connection that is kept alive after it', async () => {
  const server = fastify({ forceCloseConnections: 'idle' })
  endIdleConnections(server)
  const arrived = new EventTarget()
  server.get('/', async () => {
    arrived.dispatchEvent(new Event('request'))
    await sleep(300)
    return 'done'
  })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true })
  const asked = request(url, { agent }).end()
  await once(arrived, 'request')
  const started = performance.now()
  const closed = server.close()
  const [reply] = await once(asked, 'response')
  expect(await text(reply)).toBe('done')
  await closed
  expect(performance.now() - started).toBeGreaterThan(200)
  expect(performance.now() - started).toBeLessThan(3000)
  agent.destroy()
})

test('a server that never listened stops, too', async () => {
  const server = fastify()
  endIdleConnections(server)
  await server.ready()
  await expect(server.close()).resolves.toBeUndefined()
})
