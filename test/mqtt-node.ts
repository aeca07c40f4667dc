import pino from 'pino'
import { onTestFinished } from 'vitest'
import { startIntakeRole } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'
import { eventually } from './eventually.ts'

/** An intake that receives from a broker; stopped with the test at the latest. */
interface MqttNode {
  /** Waits until so many connections receive. */
  untilReceiving(connections: number): Promise<void>
  /** How many connections receive. */
  receiving(): Promise<number>
  /** How many messages became what so far, by outcome. */
  messages(): Promise<Readonly<Record<string, number>>>
  /** How many transactions stored what came so far. */
  transactions(): Promise<number>
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
  const url = `http://127.0.0.1:${intake.port}`
  return {
    log,
    stop,
    untilReceiving: connections => untilReceiving(url, connections),
    receiving: () => receiving(url),
    async messages() {
      const values = await valuesOf(url, 'tacho_mqtt_messages_total')
      return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]))
    },
    async transactions() {
      const values = await valuesOf(url, 'tacho_ingest_commit_seconds')
      return values.find(({ metricName }) => metricName?.endsWith('_count'))?.value ?? 0
    },
  }
}

/** Waits until so many connections of an intake receive. */
export function untilReceiving(intakeUrl: string, connections: number): Promise<void> {
  return eventually(async () => {
    const value = await receiving(intakeUrl)
    if (value !== connections) throw new Error(`${value} connections receive, not ${connections}`)
  })
}

async function receiving(intakeUrl: string): Promise<number> {
  const [gauge] = await valuesOf(intakeUrl, 'tacho_mqtt_connections')
  return gauge?.value ?? 0
}

interface MetricValue {
  /** Of a histogram. */
  readonly metricName?: string
  readonly value: number
  readonly labels: { readonly outcome?: string }
}

async function valuesOf(intakeUrl: string, metric: string): Promise<readonly MetricValue[]> {
  const reply = await fetch(`${intakeUrl}/metrics`)
  const metrics = (await reply.json()) as { name: string; values: MetricValue[] }[]
  return metrics.find(({ name }) => name === metric)?.values ?? []
}
