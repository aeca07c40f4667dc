import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { loginPacket, writeTcpFrame } from '../src/gateways/teltonika/codec/write-frame.ts'
import { dongleAt, drivingSample } from './teltonika-drive.ts'

/** What the process of the senders is told to do. */
export interface SenderTask {
  readonly port: number
  readonly connections: number
  readonly recordsEach: number
  /** Of each connection. */
  readonly packets: number
  readonly startMs: number
  /** The first of its steps (see `drivingSample`). */
  readonly firstStep: number
}

/** What it tells back. */
export type SenderNews = { readonly kind: 'ready' } | { readonly kind: 'done'; readonly ms: number }

/* Dongles in a process of their own: all log in and are ready; told to go, each sends a packet when the one before is acknowledged. */
if (process.send) {
  const [task] = (await once(process, 'message')) as [SenderTask]
  const frames = Array.from({ length: task.connections }, (_, index) => framesOf(task, index))
  const sockets: Socket[] = []
  // Gently, so that no backlog of connections overflows.
  for (let first = 0; first < task.connections; first += 200)
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(200, task.connections - first) }, (_, index) => logIn(task.port, first + index)),
      )),
    )
  tell({ kind: 'ready' })
  await once(process, 'message')
  const started = performance.now()
  await Promise.all(sockets.map((socket, index) => sendAll(socket, frames[index] ?? [], task.recordsEach)))
  tell({ kind: 'done', ms: performance.now() - started })
  for (const socket of sockets) socket.destroy()
  process.disconnect()
}

function tell(news: SenderNews): void {
  process.send?.(news)
}

function framesOf({ packets, recordsEach, startMs, firstStep }: SenderTask, index: number): Buffer[] {
  const deviceId = dongleAt(index)
  return Array.from({ length: packets }, (_, packet) =>
    writeTcpFrame(
      Array.from({ length: recordsEach }, (__, record) =>
        drivingSample(deviceId, startMs + (index % 1000), firstStep + packet * recordsEach + record),
      ),
    ),
  )
}

async function logIn(port: number, index: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  socket.write(loginPacket(String(dongleAt(index))))
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (answer.length !== 1 || answer[0] !== 1) throw new Error('a login was refused')
  return socket
}

/** Resolves when every packet is acknowledged. */
function sendAll(socket: Socket, frames: readonly Buffer[], records: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let next = 0
    const sendNext = () => {
      const frame = frames[next++]
      if (frame) socket.write(frame)
      else resolve()
    }
    socket.on('data', (answer: Buffer) => {
      if (answer.length !== 4 || answer.readUInt32BE(0) !== records) reject(new Error('a packet was not stored whole'))
      else sendNext()
    })
    socket.once('close', () => reject(new Error('a connection was closed')))
    sendNext()
  })
}
