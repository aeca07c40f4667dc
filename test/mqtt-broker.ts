import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt'
import { onTestFinished } from 'vitest'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { MOSQUITTO } from './mosquitto-file.ts'

/** A broker in a process of its own; kill it with `killBroker`. */
export interface TestBroker {
  readonly url: string
  readonly port: number
  readonly process: ChildProcess
}

const inTest = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A broker that speaks MQTT 3.1.1 only. Its sessions and messages end with it. */
export function startAedes(port?: number): Promise<TestBroker> {
  return brokerOf(port, chosen => fork(inTest('aedes-process.mjs'), [String(chosen)], { execArgv: [] }))
}

if (!MOSQUITTO)
  console.log('skipped: the tests that need mosquitto, which is not installed (apt-get install mosquitto)')

export interface MosquittoOptions {
  readonly port?: number
  readonly login?: { readonly user: string; readonly password: string }
  readonly isTls?: boolean
  /** More lines of its configuration. */
  readonly lines?: readonly string[]
}

export const TLS_AUTHORITY = inTest('fixtures/mqtt-tls/authority.pem')

export async function startMosquitto({ port, login, isTls, lines = [] }: MosquittoOptions = {}): Promise<TestBroker> {
  if (!MOSQUITTO) throw new Error('no mosquitto')
  const file = MOSQUITTO
  const folder = await mkdtemp(join(tmpdir(), 'tacho-mosquitto-'))
  const configuration = ['max_queued_messages 0', ...lines]
  if (process.getuid?.() === 0) configuration.push('user root')
  if (login) {
    const passwords = join(folder, 'passwords')
    execFileSync(passwordProgram(file), ['-b', '-c', passwords, login.user, login.password])
    configuration.push(`password_file ${passwords}`)
  } else configuration.push('allow_anonymous true')
  if (isTls)
    configuration.push(
      `certfile ${inTest('fixtures/mqtt-tls/broker.pem')}`,
      `keyfile ${inTest('fixtures/mqtt-tls/broker-key.pem')}`,
    )
  const broker = await brokerOf(port, async chosen => {
    await writeFile(join(folder, 'mosquitto.conf'), [`listener ${chosen} 127.0.0.1`, ...configuration, ''].join('\n'))
    const child = spawn(file, ['-c', join(folder, 'mosquitto.conf')], { stdio: 'ignore' })
    child.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    return child
  })
  const credentials = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@` : ''
  return { ...broker, url: `${isTls ? 'mqtts' : 'mqtt'}://${credentials}127.0.0.1:${broker.port}` }
}

/** Debian keeps it in `bin` and the broker in `sbin`. */
function passwordProgram(mosquitto: string): string {
  const folders = [dirname(mosquitto), '/usr/bin', '/usr/local/bin']
  return folders.map(folder => join(folder, 'mosquitto_passwd')).find(file => existsSync(file)) ?? 'mosquitto_passwd'
}

async function brokerOf(
  port: number | undefined,
  start: (port: number) => ChildProcess | Promise<ChildProcess>,
): Promise<TestBroker> {
  const chosen = port ?? (await freePort())
  const child = await start(chosen)
  await eventually(async () => {
    const socket = connectSocket(chosen, '127.0.0.1')
    await once(socket, 'connect')
    socket.destroy()
  })
  return { url: `mqtt://127.0.0.1:${chosen}`, port: chosen, process: child }
}

/** The same broker, killed with the test at the latest. */
export async function untilTestEnds(broker: Promise<TestBroker>): Promise<TestBroker> {
  const started = await broker
  onTestFinished(() => killBroker(started))
  return started
}

export async function killBroker({ process: child }: Pick<TestBroker, 'process'>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** A client that publishes, as a device does. It ends with the test. */
export async function connectDevice(url: string, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await connectAsync(url, options)
  onTestFinished(async () => {
    await client.endAsync(true)
  })
  return client
}
