import pino from 'pino'
import { onTestFinished } from 'vitest'
import { startIntakeRole } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import { eventually } from './embedded-folder.ts'

/** An intake that receives from a broker; stopped with the test at the latest. */
export interface MqttNode {
  /** Waits until so many connections receive. */
  untilReceiving(connections: number): Promise<void>
  /** How many messages became what so far, by outcome. */
  messages(): Promise<Readonly<Record<string, number>>>
  /** Its log so far. */
  readonly log: readonly string[]
  stop(): Promise<void>
}

/** @param settings of the environment, such as MQTT_URL */
export async function startMqttNode(
  databaseUrl: string,
  settings: Readonly<Record<string, string>>,
): Promise<MqttNode> {
  const config: Config = readConfig({
    TELTONIKA_PORT: 'off',
    MQTT_CLIENT_ID: 'node',
    UNKNOWN_DEVICES: 'accept',
    ...settings,
  })
  const log: string[] = []
  const intake = await startIntakeRole({
    config: { ...config, databaseUrl },
    log: pino({ level: 'info' }, { write: (line: string) => void log.push(line) }),
  })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= intake.stop())
  onTestFinished(stop)
  const valuesOf = async (metric: string) => {
    const reply = await fetch(`http://127.0.0.1:${intake.port}/metrics`)
    const metrics = (await reply.json()) as {
      name: string
      values: { value: number; labels: { outcome?: string } }[]
    }[]
    return metrics.find(({ name }) => name === metric)?.values ?? []
  }
  return {
    log,
    stop,
    untilReceiving: connections =>
      eventually(async () => {
        const [{ value } = { value: 0 }] = await valuesOf('tacho_mqtt_connections')
        if (value !== connections) throw new Error(`${value} connections receive, not ${connections}`)
      }),
    async messages() {
      const values = await valuesOf('tacho_mqtt_messages_total')
      return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]))
    },
  }
}
