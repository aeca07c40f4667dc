import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw } from '../../../lab/attacks/attack.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { tlsFixture } from '../../../test/tls-files.ts'
import { readConnectionsInTurn } from './connection-turns.ts'

/** Only Linux has more addresses of this machine than one. */
const hasAddresses = process.platform === 'linux'
const [GREEDY, MODEST] = ['127.0.9.1', '127.0.9.2']
const CONNECTIONS = 300

async function answerTo(socket: Socket): Promise<number> {
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return Number(answer.toString('latin1', 9, 12))
}

describe.runIf(hasAddresses)('a client that opens hundreds of connections at once', () => {
  const server = fastify()
  let url = ''
  beforeAll(async () => {
    // As on a machine that is fast enough for all of it.
    readConnectionsInTurn(server, [], { atOnce: 16, countedMs: 60_000, longestPauseMs: Number.POSITIVE_INFINITY })
    server.get('/healthz', async () => 'ok')
    url = await server.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(() => server.close())

  function ask(from: string): Socket {
    const { host, hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), localAddress: from })
    socket.on('error', () => undefined)
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    return socket
  }

  it('is answered on each of them, and another client before most of them', async () => {
    let answered = 0
    const asked = Array.from({ length: CONNECTIONS }, () => answerTo(ask(GREEDY)).finally(() => answered++))
    // It comes last, and connections are accepted in the order in which they come.
    const reply = await sendRaw(url, { path: '/healthz', from: MODEST })
    expect(reply.status).toBe(200)
    expect(answered).toBeLessThan(CONNECTIONS / 2)
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
  })

  it('may go away while they wait', async () => {
    const sockets = Array.from({ length: CONNECTIONS }, () => ask(GREEDY))
    await Promise.all(sockets.map(socket => once(socket, 'connect')))
    for (const socket of sockets) socket.resetAndDestroy()
    expect(await sendRaw(url, { path: '/healthz', from: MODEST })).toMatchObject({ status: 200 })
    expect(await sendRaw(url, { path: '/healthz', from: GREEDY })).toMatchObject({ status: 200 })
  })
})

describe('many connections of TLS at once', () => {
  let service: TestService
  const { certFile, keyFile } = tlsFixture('former')
  beforeAll(async () => {
    service = await startService({ TLS_CERT: certFile, TLS_KEY: keyFile })
  })
  afterAll(() => service.stop())

  it('all have their handshake and their answer', async () => {
    const { hostname, port, host } = new URL(service.url)
    const asked = Array.from({ length: 60 }, async () => {
      const socket = tlsConnect({ host: hostname, port: Number(port), ca: readFileSync(certFile) })
      await once(socket, 'secureConnect')
      socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      return answerTo(socket)
    })
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]))
  })
})
