import { once } from 'node:events'
import { connect as connectSocket, createServer, type Socket } from 'node:net'

/** A proxy between clients and a broker that counts what the clients acknowledge. */
export interface PubackCounter {
  /** Where clients connect instead of to the broker. */
  readonly url: string
  /** How many messages of QoS 1 were acknowledged to the broker so far. */
  acknowledged(): number
  /** Settles when the next message is acknowledged. */
  next(): Promise<unknown>
  stop(): Promise<void>
}

const PUBACK = 4

export async function startPubackCounter(brokerPort: number): Promise<PubackCounter> {
  const sockets = new Set<Socket>()
  const acknowledgements = new EventTarget()
  let acknowledged = 0
  const server = createServer(client => {
    const broker = connectSocket(brokerPort, '127.0.0.1')
    const look = packetTypes(type => {
      if (type !== PUBACK) return
      acknowledged++
      acknowledgements.dispatchEvent(new Event('puback'))
    })
    for (const socket of [client, broker]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        broker.destroy()
      })
    }
    client.on('data', look)
    client.pipe(broker)
    broker.pipe(client)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    url: `mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    acknowledged: () => acknowledged,
    next: () => once(acknowledgements, 'puback'),
    async stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** Tells of each control packet in a stream: type, remaining length as a varint (MQTT 5, 2.1), so many bytes. */
function packetTypes(tell: (type: number) => void): (bytes: Buffer) => void {
  let waiting = Buffer.alloc(0)
  return bytes => {
    waiting = Buffer.concat([waiting, bytes])
    while (true) {
      let lengthEnd = 1
      while (lengthEnd < waiting.length && (waiting[lengthEnd] ?? 0) >= 0x80) lengthEnd++
      if (lengthEnd >= waiting.length) return
      let remaining = 0
      for (let at = lengthEnd; at >= 1; at--) remaining = remaining * 0x80 + ((waiting[at] ?? 0) & 0x7f)
      const end = lengthEnd + 1 + remaining
      if (waiting.length < end) return
      tell((waiting[0] ?? 0) >> 4)
      waiting = waiting.subarray(end)
    }
  }
}
