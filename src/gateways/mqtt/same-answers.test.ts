import { setTimeout as sleep } from 'node:timers/promises'
import { connectAsync } from 'mqtt'
import { ingestEventsOf } from '../../../lab/bench/made-samples.ts'
import { testGateway } from '../../../test/gateway-suite.ts'
import { MOSQUITTO } from '../../../test/mosquitto-file.ts'
import { killBroker, startAedes, startMosquitto, type TestBroker } from '../../../test/mqtt-broker.ts'
import { untilReceiving } from '../../../test/mqtt-node.ts'
import { type PubackCounter, startPubackCounter } from '../../../test/puback-counter.ts'

const BROKERS = [
  { name: 'MQTT 3.1.1', start: startAedes, connections: 1, isThere: true },
  { name: 'MQTT 5', start: startMosquitto, connections: 4, isThere: MOSQUITTO !== undefined },
]
for (const { name, start, connections, isThere } of BROKERS) if (isThere) testBroker(name, start, connections)

/** A device is acknowledged by the broker at once; what counts is when Tacho acknowledges it to the broker. */
function testBroker(name: string, start: () => Promise<TestBroker>, connections: number): void {
  let pubacks: PubackCounter
  testGateway({
    name,
    misdated: 'kept apart',
    stranger: 'acknowledged',
    async surroundings() {
      const broker = await start()
      pubacks = await startPubackCounter(broker.port)
      return {
        environment: { MQTT_URL: pubacks.url, MQTT_CLIENT_ID: 'suite' },
        async stop() {
          await pubacks.stop()
          await killBroker(broker)
        },
      }
    },
    async connect({ intakeUrl, config }, deviceId) {
      await untilReceiving(intakeUrl, connections)
      const device = await connectAsync(config.mqttUrl ?? '')
      return {
        async send(samples, withinMs) {
          const taken = pubacks.next()
          const body = JSON.stringify(samples.flatMap(ingestEventsOf))
          await device.publishAsync(`tacho/${deviceId}/events`, body, { qos: 1 })
          return Promise.race([
            taken.then(() => 'acknowledged' as const),
            sleep(withinMs, 'unanswered' as const, { ref: false }),
          ])
        },
        close: () => device.endAsync(),
      }
    },
  })
}
