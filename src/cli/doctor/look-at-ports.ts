import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { request } from 'node:http'
import { request as secureRequest } from 'node:https'
import { createServer } from 'node:net'
import type { Config } from '../../config.ts'
import { codeOrTextOf } from '../../model/errors.ts'
import { ownApiAddress } from '../../server/process.ts'
import { SETTINGS } from '../../settings.ts'
import type { PortFacts } from './judge-port.ts'

/** Tries every port that the settings name, for a moment; one that the system chooses is always free. */
export async function lookAtPorts(config: Config): Promise<PortFacts[]> {
  const doors = [
    { door: 'API and console', host: 'host', port: 'port', udp: false },
    { door: 'intake', host: 'intakeHost', port: 'intakePort', udp: false },
    { door: 'dongles of Teltonika', host: 'teltonikaHost', port: 'teltonikaPort', udp: !config.teltonikaTlsCertFile },
  ] as const
  const facts: PortFacts[] = []
  for (const { door, host, port, udp } of doors) {
    const number = config[port]
    if (!number) continue
    const overTcp = await tryTcp(config[host], number)
    facts.push({
      door,
      host: config[host],
      port: number,
      hostSetting: SETTINGS[host].name,
      portSetting: SETTINGS[port].name,
      outcome: overTcp === 'free' && udp ? await tryUdp(config[host], number) : overTcp,
    })
  }
  return facts
}

async function tryTcp(host: string, port: number): Promise<string> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return 'free'
  } catch (error) {
    return codeOrTextOf(error)
  } finally {
    server.close()
  }
}

async function tryUdp(host: string, port: number): Promise<string> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  try {
    socket.bind(port, host)
    await once(socket, 'listening')
    return 'free'
  } catch (error) {
    return codeOrTextOf(error)
  } finally {
    socket.close()
  }
}

const PATIENCE_MS = 3000

/** Whether a Tacho answers where the settings put the API. */
export function answersAsTacho(config: Config): Promise<boolean> {
  if (config.port === 0) return Promise.resolve(false)
  const address = `${ownApiAddress(config, config.port)}/healthz`
  return new Promise(resolve => {
    const options = { timeout: PATIENCE_MS, signal: AbortSignal.timeout(PATIENCE_MS) }
    const secure = { ...options, rejectUnauthorized: false }
    const asked = address.startsWith('https:') ? secureRequest(address, secure) : request(address, options)
    asked.on('error', () => resolve(false))
    asked.on('response', reply => {
      let body = ''
      reply.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      reply.on('end', () => resolve(reply.statusCode === 200 && body === '{"status":"ok"}'))
      reply.on('error', () => resolve(false))
    })
    asked.end()
  })
}
