import { once } from 'node:events'
import { connect } from 'node:net'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { endIdleConnections } from './idle-connections.ts'

test('a stop waits for requests that go on, but not for connections over which nothing was ever asked', async () => {
  const server = fastify({ forceCloseConnections: 'idle' })
  endIdleConnections(server)
  let answer: () => void = () => undefined
  const asked = new Promise<void>(resolve => {
    server.get('/', async () => {
      resolve()
      await new Promise<void>(done => {
        answer = done
      })
      return 'answered'
    })
  })
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  const silent = connect(Number(new URL(address).port), '127.0.0.1')
  await once(silent, 'connect')
  const reply = fetch(address)
  await asked
  const closed = server.close()
  // Reading notices the end.
  await once(silent.resume(), 'close')
  answer()
  expect(await (await reply).text()).toBe('answered')
  await closed
})
