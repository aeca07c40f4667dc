import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { requiredEventType } from '../../src/catalogue/event-types.ts'
import { type DeviceId, type Sample, sampleOf } from '../../src/model/sample.ts'
import { teltonikaUplinks } from './uplinks.ts'

const DONGLE = 356_307_042_441_013 as DeviceId
const SPEED = requiredEventType('GPS_SPEED').id

const samplesOf = (count: number): Sample[] =>
  Array.from({ length: count }, (_, i) => sampleOf(DONGLE, Date.UTC(2026, 0, 1) + i * 1000, new Map([[SPEED, i]])))

/** What a service does with the login and the frames of its connections, one entry a connection. */
type Answers = readonly { readonly login: number; readonly frames: readonly (number | 'close')[] }[]

/** A server that answers as it was told. @returns its port, and how many frames each connection brought. */
async function standIn(answers: Answers) {
  const frames: number[] = []
  const serve = async (socket: Socket, { login, frames: toFrames }: Answers[number], index: number) => {
    frames[index] = 0
    let left: Buffer = Buffer.alloc(0)
    for await (const bytes of socket) {
      left = Buffer.concat([left, bytes as Buffer])
      if (frames[index] === 0 && left.length >= 17 && left.readUInt16BE() === 15) {
        left = left.subarray(17)
        socket.write(Buffer.of(login))
      }
      while (left.length >= 12 && left.length >= 12 + left.readUInt32BE(4)) {
        left = left.subarray(12 + left.readUInt32BE(4))
        const answer = toFrames[frames[index] ?? 0] ?? 'close'
        frames[index] = (frames[index] ?? 0) + 1
        if (answer === 'close') {
          socket.destroy()
          return
        }
        // In two pieces, as networks do it.
        const bytesOfAnswer = Buffer.alloc(4)
        bytesOfAnswer.writeUInt32BE(answer)
        socket.write(bytesOfAnswer.subarray(0, 1))
        await sleep(5)
        socket.write(bytesOfAnswer.subarray(1))
      }
    }
  }
  let connections = 0
  const server = createServer(socket => {
    socket.on('error', () => undefined)
    const index = connections++
    void serve(socket, answers[Math.min(index, answers.length - 1)]!, index).catch(() => undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, frames }
}

function uplinksTo(port: number) {
  const stop = new AbortController()
  const troubles: string[] = []
  const options = { signal: stop.signal, onTrouble: (why: string) => troubles.push(why) }
  const uplinks = teltonikaUplinks({ host: '127.0.0.1', port }, options)
  onTestFinished(() => uplinks.cut())
  return { uplink: uplinks.of(DONGLE), uplinks, stop, troubles }
}

test('one login serves many packets', async () => {
  const { port, frames } = await standIn([{ login: 1, frames: [3, 2] }])
  const { uplink, troubles } = uplinksTo(port)
  expect(await uplink.send(samplesOf(3))).toHaveLength(3)
  expect(await uplink.send(samplesOf(2))).toHaveLength(2)
  expect(frames).toEqual([2])
  expect(troubles).toEqual([])
})

test('what was not acknowledged, or not all of it, is sent again over a new connection', async () => {
  const { port, frames } = await standIn([
    { login: 1, frames: ['close'] },
    { login: 1, frames: [2] },
    { login: 1, frames: [3] },
  ])
  const { uplink, troubles } = uplinksTo(port)
  expect(await uplink.send(samplesOf(3))).toHaveLength(3)
  expect(frames).toEqual([1, 1, 1])
  expect(troubles).toEqual(['the service closed the connection', 'the service acknowledged 2 of 3 records'])
})

test('a dongle that is refused again and again gives up', async () => {
  const { port } = await standIn([{ login: 0, frames: [] }])
  expect(await uplinksTo(port).uplink.send(samplesOf(1))).toBeUndefined()
})

test('a service that is away is waited for until the sending is stopped', async () => {
  const { uplink, stop, troubles } = uplinksTo(1)
  const sending = uplink.send(samplesOf(1))
  while (troubles.length === 0) await sleep(5)
  stop.abort()
  await expect(sending).rejects.toThrow('abort')
})

test('an answer that never comes is not waited for when everything is cut', async () => {
  const silent = createServer(socket => socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => {
    silent.close()
  })
  const { uplink, uplinks, stop } = uplinksTo((silent.address() as AddressInfo).port)
  const sending = uplink.send(samplesOf(1))
  const [socket] = (await once(silent, 'connection')) as [Socket]
  await once(socket, 'data')
  stop.abort()
  await uplinks.cut()
  await expect(sending).rejects.toThrow('closed')
})
