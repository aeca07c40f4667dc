import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw } from '../../../lab/attacks/attack.ts'
import { eventually } from '../../../test/eventually.ts'
import { startService, type TestService } from '../../../test/service.ts'

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
