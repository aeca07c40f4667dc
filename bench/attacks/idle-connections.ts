import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { inLanes } from './dongle-peer.ts'
import { ATTACKER_ADDRESS } from './raw-request.ts'

const CONNECTIONS = { small: 600, full: 5000 }
const LIMIT = 200
const CLIENTS = 40
const DRIP_EVERY_MS = 1000
/** Those beyond the limit are accepted for a moment, to be refused with a reason. */
const REFUSED_AT_ONCE = 50
const REFUSED_MS = 1000

/** Connections that send nothing, or never complete a request. */
export const idleConnections: Attack = {
  name: 'idle-connections',
  clause: 'connections of a client',
  what: 'One client opens thousands of connections to the API; half of them say nothing, half send a byte a second.',
  environment: { CONNECTIONS_PER_CLIENT: String(LIMIT) },
  async run({ api }, size, signal) {
    if (ATTACKER_ADDRESS === undefined) return 'not tried: this system has one address, and others sit there, too'
    const sockets: Socket[] = []
    try {
      await inLanes(CONNECTIONS[size], CLIENTS, signal, async number => {
        const socket = connect({ host: api.host, port: api.port, localAddress: ATTACKER_ADDRESS })
        sockets.push(socket.on('error', () => undefined).resume())
        await Promise.race([once(socket, 'connect'), once(socket, 'close')])
        if (number % 2 === 0 && socket.writable) socket.write('GET /healthz HTTP/1.1\r\nX-Slow: ')
      })
      // The last ones beyond the limit were closed without an answer while others got one.
      await sleep(2 * REFUSED_MS)
      const { status, headers } = await api.send({ path: '/healthz' })
      if (status !== 429 || !(Number(headers['retry-after']) > 0)) throw new Error(`one more was answered ${status}`)
      while (!signal.aborted) {
        for (const socket of sockets) if (socket.writable && socket.bytesWritten > 0) socket.write('x')
        await sleep(DRIP_EVERY_MS, undefined, { signal }).catch(() => undefined)
      }
      const open = sockets.filter(socket => !socket.closed).length
      if (open > LIMIT + REFUSED_AT_ONCE) throw new Error(`${open} connections are open`)
      return `${sockets.length} connections were begun, ${open} are open at the end; one more was answered 429`
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  },
}
