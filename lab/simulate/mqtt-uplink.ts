import { connect } from 'mqtt'
import { jsonOf } from './http-uplink.ts'
import type { UplinkOptions, Uplinks } from './uplink.ts'

/** Dongles share connections; each waits for the acknowledgement of its own packet. */
const CONNECTIONS = 8

/** MQTT, QoS 1: the broker keeps what it acknowledged, and delivers it until the service acknowledges. */
export function mqttUplinks(url: string, { onTrouble }: UplinkOptions): Uplinks {
  const clients = Array.from({ length: CONNECTIONS }, () => connect(url, { resubscribe: false }))
  for (const client of clients) client.on('error', error => onTrouble(error.message))
  const waiting = new Set<(reason: Error) => void>()
  return {
    of: deviceId => ({
      async send(samples) {
        let giveUp: (reason: Error) => void = () => undefined
        try {
          await new Promise((resolve, reject) => {
            giveUp = reject
            waiting.add(giveUp)
            const client = clients[deviceId % clients.length]
            client?.publishAsync(`tacho/${deviceId}/events`, jsonOf(samples), { qos: 1 }).then(resolve, reject)
          })
          return samples
        } finally {
          waiting.delete(giveUp)
        }
      },
    }),
    async cut() {
      for (const giveUp of waiting) giveUp(new Error('the sending was stopped'))
      await Promise.all(clients.map(client => client.endAsync(true)))
    },
  }
}
