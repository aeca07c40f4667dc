import { once } from 'node:events'
import { connect } from 'node:net'
import { loginPacket, writeTcpFrame } from '../teltonika-dongle/write-frame.ts'
import { dongleAt, drivingSample } from './teltonika-decode.ts'

/** What the process of the idle dongles is told to do; it answers `idle`. */
export interface IdleTask {
  readonly port: number
  readonly connections: number
  /** When each of them measured its one record. */
  readonly atMs: number
}

/** Dongles of their own: what they report is no part of what others are measured with. */
const FIRST_DONGLE = 500_000
/** So many connect at once, so that no backlog of connections overflows. */
const AT_ONCE = 200

/* Dongles in a process of their own: each logs in, reports once, and stays connected. */
if (process.send) {
  const [{ port, connections, atMs }] = (await once(process, 'message')) as [IdleTask]
  for (let first = 0; first < connections; first += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, connections - first) }, (_, index) => report(port, first + index, atMs)),
    )
  process.send('idle')
}

async function report(port: number, index: number, atMs: number): Promise<void> {
  const deviceId = dongleAt(FIRST_DONGLE + index)
  const socket = connect({ port, host: '127.0.0.1' })
  socket.write(Buffer.concat([loginPacket(String(deviceId)), writeTcpFrame([drivingSample(deviceId, atMs, 0)])]))
  for (let answered = 0; answered < 5; ) {
    const [answer] = (await once(socket, 'data')) as [Buffer]
    answered += answer.length
  }
}
