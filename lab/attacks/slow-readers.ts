import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Attack } from './attack.ts'
import { ATTACKER_ADDRESS } from './raw-request.ts'

const READERS = { small: 20, full: 400 }
const EVENTS = { small: 10_000, full: 100_000 }
const EVENTS_A_BODY = 10_000

/** Lists that are asked for and not taken. */
export const slowReaders: Attack = {
  name: 'slow-readers',
  clause: 'readers that take nothing',
  what: 'One key asks for long lists over hundreds of connections, and reads nothing of them.',
  async run({ api, attacker }, size, signal) {
    const deviceId = Number(attacker.imeis[0])
    for (let sent = 0; sent < EVENTS[size] && !signal.aborted; sent += EVENTS_A_BODY) {
      const events = Array.from({ length: EVENTS_A_BODY }, (_, index) => ({
        deviceId,
        recordedTimestamp: new Date(Date.now() - (sent + index + 1) * 1000).toISOString(),
        eventType: 'GPS_SPEED',
        value: index % 100,
      }))
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify(events)
      const { status } = await api.send({ path: '/ingest/events', method: 'POST', token: attacker.key, headers, body })
      if (status !== 200) throw new Error(`its events were answered ${status}`)
    }
    const fromTimestamp = new Date(Date.now() - 2 * EVENTS[size] * 1000).toISOString()
    const query = new URLSearchParams({ deviceId: String(deviceId), fromTimestamp, maxResults: '10000' })
    const request = [
      `GET /cc/v2.0/events?${query.toString()} HTTP/1.1`,
      `Host: ${api.host}:${api.port}`,
      `Authorization: Bearer ${attacker.key}`,
    ]
    const begin = async (): Promise<Socket> => {
      const from = ATTACKER_ADDRESS === undefined ? {} : { localAddress: ATTACKER_ADDRESS }
      const socket = connect({ host: api.host, port: api.port, ...from })
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.pause().write(`${request.join('\r\n')}\r\n\r\n`)
      return socket
    }
    const sockets = await Promise.all(Array.from({ length: READERS[size] }, begin))
    if (!signal.aborted) await once(signal, 'abort')
    const open = sockets.filter(socket => !socket.closed).length
    for (const socket of sockets) socket.destroy()
    return `${sockets.length} readers asked, ${open} are connected at the end`
  },
}
