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
      const wanted = new AbortController()
      await inLanes(CONNECTIONS[size], CLIENTS, wanted.signal, async number => {
        // On a slow machine its time is up before the limit is reached.
        if (signal.aborted && number > 2 * LIMIT) wanted.abort()
        const socket = connect({ host: api.host, port: api.port, localAddress: ATTACKER_ADDRESS })
        sockets.push(socket.on('error', () => undefined).resume())
        await Promise.race([once(socket, 'connect'), once(socket, 'close')])
        if (number % 2 === 0 && socket.writable) socket.write('GET /healthz HTTP/1.1\r\nX-Slow: ')
      })
      // Those beyond the limit are accepted for a moment, to be refused with a reason: some at once, the others without.
      const openOnes = () => sockets.filter(socket => !socket.closed).length
      while (openOnes() > LIMIT) await sleep(100)
      const { status, headers } = await api.send({ path: '/healthz' })
      if (status !== 429 || !(Number(headers['retry-after']) > 0)) throw new Error(`one more was answered ${status}`)
      while (!signal.aborted) {
        for (const socket of sockets) if (socket.writable && socket.bytesWritten > 0) socket.write('x')
        await sleep(DRIP_EVERY_MS, undefined, { signal }).catch(() => undefined)
      }
      const open = openOnes()
      return `${sockets.length} connections were begun, ${open} are open at the end; one more was answered 429`
    } finally {
      for (const socket of sockets) socket.destroy()
    }
  },
}
