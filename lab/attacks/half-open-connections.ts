import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { inLanes, madeUpImei, openDonglePeer, sayImei } from './dongle-peer.ts'

const CONNECTIONS = { small: 400, full: 1130 }
const CLIENTS = 40
/** Of each frame, all but the last bytes. */
const FRAME_BYTES = 60_000

/** Connections that never complete a frame, and others that send nothing at all. */
export const halfOpenConnections: Attack = {
  name: 'half-open-connections',
  clause: 'bytes held of a peer',
  what: 'Many dongles that nobody knows send most of a long frame, and as many connections never log in.',
  environment: { UNKNOWN_DEVICES: 'accept' },
  async run({ teltonika }, size, signal) {
    const begun = Buffer.alloc(FRAME_BYTES)
    begun.writeUInt32BE(FRAME_BYTES, 4)
    const opened: Socket[] = []
    try {
      await inLanes(CONNECTIONS[size], CLIENTS, signal, async number => {
        opened.push(await openDonglePeer(teltonika))
        const socket = await openDonglePeer(teltonika)
        opened.push(socket)
        if ((await sayImei(socket, madeUpImei(number))) === 1) socket.write(begun)
      })
      await sleep(1000, undefined, { signal }).catch(() => undefined)
      const left = opened.filter(socket => !socket.destroyed && !socket.readableEnded).length
      return `${left} of ${opened.length} connections open at the end`
    } finally {
      for (const socket of opened) socket.destroy()
    }
  },
}
