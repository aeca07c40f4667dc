import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FastifyInstance, fastify } from 'fastify'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { sendJsonList } from '../../../server/http/reply.ts'
import { LongLists } from './events.ts'

const LONG = 10_000
const ITEM = JSON.stringify('x'.repeat(98))
/** More than the buffers of the system between two processes of one machine. */
const ENDLESS_ITEMS = 400_000

let server: FastifyInstance
let port = 0
/** How many lists are being read for each account, and the most there ever were. */
let reading: Map<string, { now: number; most: number }>
/** Lists are read for as long as this takes. */
let read: () => Promise<unknown>

beforeEach(async () => {
  const lists = new LongLists()
  reading = new Map()
  read = () => sleep(5)
  server = fastify({ forceCloseConnections: true })
  server.get<{ Params: { account: string; limit: string; items: string } }>(
    '/:account/:limit/:items',
    async ({ params: { account, limit, items } }, reply) => {
      const leave = await lists.enter(reply, Number(account), Number(limit))
      const count = reading.get(account) ?? { now: 0, most: 0 }
      reading.set(account, count)
      count.most = Math.max(count.most, ++count.now)
      await read()
      count.now--
      return sendJsonList(reply, '[', itemsOf(Number(items)), ']', 'text', leave)
    },
  )
  await server.listen({ host: '127.0.0.1', port: 0 })
  const address = server.server.address()
  port = typeof address === 'object' && address ? address.port : 0
})
afterEach(() => server.close())

function* itemsOf(count: number): Generator<string> {
  for (let item = 0; item < count; item++) yield ITEM
}

async function ask(account: number, limit = LONG): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${port}/${account}/${limit}/100`)
  return ((await reply.json()) as readonly string[]).length
}

/** Asks, and reads nothing of the reply. */
async function askOnly(account: number, items: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.pause().write(`GET /${account}/${LONG}/${items} HTTP/1.1\r\nHost: tacho\r\n\r\n`)
  return socket
}

test('of many long lists of an account two are read at once, and those of another account come between', async () => {
  const held: (() => void)[] = []
  read = () => new Promise<void>(resolve => void held.push(resolve))
  const greedy = Array.from({ length: 40 }, () => ask(1))
  await expect.poll(() => reading.get('1')?.now).toBe(2)
  const modest = ask(2)
  await expect.poll(() => reading.get('2')?.now).toBe(1)
  expect(held).toHaveLength(3)
  read = () => sleep(1)
  for (const goOn of held) goOn()
  expect(await modest).toBe(100)
  await Promise.all(greedy)
  expect(reading.get('1')?.most).toBe(2)
})

test('short lists wait for none', async () => {
  read = () => new Promise(() => undefined)
  for (let reader = 0; reader < 3; reader++) await askOnly(1, 1)
  await expect.poll(() => reading.get('1')?.now).toBe(2)
  read = async () => undefined
  expect(await ask(1, 500)).toBe(100)
})

test('a client that takes nothing of its list keeps no turn', async () => {
  for (let reader = 0; reader < 4; reader++) await askOnly(1, ENDLESS_ITEMS)
  expect(await ask(1)).toBe(100)
})

test('one that goes away gives its turn back, be it that it waited or that its list was read', async () => {
  read = () => new Promise(() => undefined)
  const gone = [await askOnly(1, 1), await askOnly(1, 1), await askOnly(1, 1)]
  await expect.poll(() => reading.get('1')?.now).toBe(2)
  read = async () => undefined
  for (const socket of gone) socket.destroy()
  expect(await ask(1)).toBe(100)
})
