import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { loginPacket } from '../src/gateways/teltonika/codec/write-frame.ts'

/** A connection as a dongle opens it, with what it was answered so far. */
export interface TeltonikaClient {
  readonly socket: Socket
  write(bytes: Buffer): void
  /** The next bytes that were answered; rejects when there are fewer before the connection ends or the time is up. */
  answer(byteCount: number, withinMs?: number): Promise<Buffer>
  /** The next acknowledgement: a count of records. */
  acknowledgement(withinMs?: number): Promise<number>
  /** What was answered and nobody asked for yet. */
  readonly unread: number
  /** Settles when the server has closed its side, or the connection broke. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

const PATIENCE_MS = 5000

export async function connectTeltonika(port: number): Promise<TeltonikaClient> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  await once(socket, 'connect')
  let received = Buffer.alloc(0)
  let isEnded = false
  let onChange: () => void = () => undefined
  const changed = () => new Promise<void>(resolve => (onChange = resolve))
  socket.on('data', chunk => {
    received = Buffer.concat([received, chunk])
    onChange()
  })
  const ended = new Promise<void>(resolve => {
    const end = () => {
      isEnded = true
      onChange()
      resolve()
    }
    socket.on('end', end).on('close', end)
  })
  socket.on('error', () => undefined)
  const client: TeltonikaClient = {
    socket,
    write: bytes => void socket.write(bytes),
    async answer(byteCount, withinMs = PATIENCE_MS) {
      const untilMs = performance.now() + withinMs
      while (received.length < byteCount) {
        const leftMs = untilMs - performance.now()
        if (isEnded) throw new Error(`the connection ended after ${received.length} of ${byteCount} bytes`)
        if (leftMs <= 0) throw new Error(`only ${received.length} of ${byteCount} bytes were answered`)
        await Promise.race([changed(), new Promise(resolve => setTimeout(resolve, leftMs))])
      }
      const bytes = received.subarray(0, byteCount)
      received = received.subarray(byteCount)
      return bytes
    },
    acknowledgement: async withinMs => (await client.answer(4, withinMs)).readUInt32BE(),
    get unread() {
      return received.length
    },
    ended,
    async close() {
      const closed = socket.destroyed ? undefined : once(socket, 'close')
      socket.destroy()
      await closed
    },
  }
  return client
}

/** The same, logged in. @throws when the login is refused. */
export async function logInTeltonika(port: number, imei: string): Promise<TeltonikaClient> {
  const client = await connectTeltonika(port)
  client.write(loginPacket(imei))
  const [answer] = await client.answer(1)
  if (answer !== 1) throw new Error(`the login of ${imei} was answered ${answer}`)
  return client
}

/** Sends a datagram and waits for the answer. @returns undefined when there is none in that time. */
export async function sendDatagram(port: number, bytes: Buffer, withinMs = PATIENCE_MS): Promise<Buffer | undefined> {
  const socket = createSocket('udp4')
  try {
    const answered = new Promise<Buffer | undefined>(resolve => {
      socket.once('message', resolve)
      setTimeout(() => resolve(undefined), withinMs)
    })
    socket.send(bytes, port, '127.0.0.1')
    return await answered
  } finally {
    socket.close()
  }
}
