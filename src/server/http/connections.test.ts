import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { sendRaw } from '../../../lab/attacks/attack.ts'
import { eventually } from '../../../test/eventually.ts'
import { startService, type TestService } from '../../../test/service.ts'
import { tlsFixture } from '../../../test/tls-files.ts'
import { clientNetwork, endIdleConnections, readConnectionsInTurn } from './connections.ts'

const LIMIT = 10
/** Only Linux has more addresses of this machine than one. */
const hasAddresses = process.platform === 'linux'
const [GREEDY, MODEST] = ['127.0.9.1', '127.0.9.2']

async function openIdle(service: TestService, from: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from })
  socket.on('error', () => undefined).resume()
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}

const health = (service: TestService, more: { readonly from: string; readonly headers?: Record<string, string> }) =>
  sendRaw(service.url, { path: '/healthz', ...more })

describe.runIf(hasAddresses)('connections of one client', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ CONNECTIONS_PER_CLIENT: String(LIMIT) })
  })
  afterAll(() => service.stop())

  it('are so many at once; the next is told to come back, others notice nothing, and those that end make room', async () => {
    const idle = await Promise.all(Array.from({ length: LIMIT }, () => openIdle(service, GREEDY)))
    const refused = await health(service, { from: GREEDY })
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '5', connection: 'close' } })
    expect(JSON.parse(refused.body)).toEqual({ errorMessage: 'There are too many connections from this address.' })
    for (const path of ['/healthz', '/readyz'])
      expect(await sendRaw(service.url, { path, from: MODEST })).toMatchObject({ status: 200 })
    for (const socket of idle) expect(socket.closed).toBe(false)
    idle[0]?.destroy()
    await eventually(async () => expect(await health(service, { from: GREEDY })).toMatchObject({ status: 200 }))
    for (const socket of idle) socket.destroy()
  })

  it('beyond the limit end by themselves, also when they ask nothing', async () => {
    const sockets = await Promise.all(Array.from({ length: LIMIT + 20 }, () => openIdle(service, GREEDY)))
    await eventually(async () => expect(sockets.filter(socket => !socket.closed)).toHaveLength(LIMIT))
    for (const socket of sockets) socket.destroy()
    await eventually(async () => expect(await health(service, { from: GREEDY })).toMatchObject({ status: 200 }))
  })
})

describe.runIf(hasAddresses)('behind a trusted proxy', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ CONNECTIONS_PER_CLIENT: String(LIMIT), TRUSTED_PROXIES: '127.0.9.0/24' })
  })
  afterAll(() => service.stop())

  it('requests that go on count for their client, and what the proxy keeps open for nobody', async () => {
    const key = await service.key('Fleet')
    const idle = await Promise.all(Array.from({ length: LIMIT + 5 }, () => openIdle(service, GREEDY)))
    const follow = async (client: string): Promise<number> => {
      const { host, hostname, port } = new URL(service.url)
      const socket = connect({ host: hostname, port: Number(port), localAddress: GREEDY })
      idle.push(socket.on('error', () => undefined))
      const lines = [
        `GET /stream HTTP/1.1`,
        `Host: ${host}`,
        `Authorization: Bearer ${key}`,
        `X-Forwarded-For: ${client}`,
      ]
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      return Number(answer.toString('latin1', 9, 12))
    }
    const statuses = await Promise.all(Array.from({ length: LIMIT }, () => follow('198.18.0.1')))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await follow('198.18.0.1')).toBe(429)
    expect(await follow('198.18.0.2')).toBe(200)
    const from = (client: string) => health(service, { from: GREEDY, headers: { 'x-forwarded-for': client } })
    expect(await from('198.18.0.1')).toMatchObject({ status: 429 })
    expect(await from('198.18.0.2')).toMatchObject({ status: 200 })
    for (const socket of idle) socket.destroy()
    await eventually(async () => expect(await from('198.18.0.1')).toMatchObject({ status: 200 }))
  })
})

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

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:DB8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:aaaa::', '2001:db8:0:0::/64'],
  ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('%s is in %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network)
})
