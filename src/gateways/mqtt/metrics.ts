import { Counter, Gauge, type Registry } from 'prom-client'
import type { MessageOutcome } from './take-message.ts'

interface MqttMetrics {
  readonly messageTaken: (outcome: MessageOutcome) => void
  readonly connectionLost: () => void
}

/**
 * Counts what the gateway receives.
 * @param subscribed how many connections receive at the moment
 */
export function observeMqtt(registry: Registry, subscribed: () => number): MqttMetrics {
  const messages = new Counter({
    name: 'tacho_mqtt_messages_total',
    help: 'Messages of the MQTT broker by what became of them; those that wait come again.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const lost = new Counter({
    name: 'tacho_mqtt_lost_connections_total',
    help: 'Connections to the MQTT broker that ended while messages were received on them.',
    registers: [registry],
  })
  registry.registerMetric(
    new Gauge({
      name: 'tacho_mqtt_connections',
      help: 'Connections to the MQTT broker on which messages are received.',
      registers: [],
      collect() {
        this.set(subscribed())
      },
    }),
  )
  return { messageTaken: outcome => messages.inc({ outcome }), connectionLost: () => lost.inc() }
}
