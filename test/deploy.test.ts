import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../src/config.ts'
import { readCertificate } from '../src/server/http/certificate.ts'
import { SETTINGS } from '../src/settings.ts'
import { tlsFixture } from './tls-files.ts'

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../deploy/${name}`, import.meta.url)), 'utf8')

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly volumes?: readonly string[]
  readonly healthcheck?: object
  readonly stop_grace_period: string
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, null>>
}

const containerfile = read('Containerfile')
const composes = ['compose.yaml', 'compose.postgres.yaml'].map(name => ({ name, file: parse(read(name)) as Compose }))
const known: readonly string[] = Object.values(SETTINGS).map(({ name }) => name)

/** Variables that a file sets for Tacho, with their values. */
const OF_NODE = 'NODE_ENV'
const inContainer = Object.fromEntries(
  [...containerfile.matchAll(/^(?:ENV|\s+) ?([A-Z_]+)=(\S+)/gm)].map(([, name = '', value = '']) => [name, value]),
)

test.each([
  ['http', 200, 0],
  ['http', 503, 1],
  ['https', 200, 0],
  ['https', 503, 1],
] as const)('the health check of the container over %s: %d ends with %d', async (scheme, status, code) => {
  const answer: RequestListener = ({ url }, reply) => void reply.writeHead(url === '/readyz' ? status : 404).end()
  const server =
    scheme === 'http' ? createServer(answer) : createTlsServer(readCertificate(tlsFixture('former')), answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const [, command = '[]'] = /^HEALTHCHECK .*\\\n\s+CMD (.*)$/m.exec(containerfile) ?? []
  const [program = '', ...words] = JSON.parse(command) as string[]
  const { port } = server.address() as AddressInfo
  const env = { ...process.env, PORT: String(port), TLS_CERT: scheme === 'https' ? 'cert.pem' : '' }
  const [exitCode] = await once(spawn(program, words, { env }), 'exit')
  server.close()
  expect(exitCode).toBe(code)
})

test('the container, compose and systemd set what Tacho reads', () => {
  const inUnit = [...read('tacho.service').matchAll(/(?<=^Environment=.*)\b([A-Z_]+)=/gm)].map(([, name]) => name)
  const ofCompose = composes.flatMap(({ file }) => Object.keys(file.services.tacho?.environment ?? {}))
  const set = [...inUnit, ...Object.keys(inContainer), ...ofCompose].filter(name => name !== OF_NODE)
  expect(set).toEqual(expect.arrayContaining(['TACHO_DATA', 'HOST', 'TELTONIKA_HOST', 'TACHO_EMAIL', 'DATABASE_URL']))
  expect(set.filter(name => name !== undefined && !known.includes(name))).toEqual([])
})

test.each(composes)('$name gives Tacho settings that it takes, and publishes its ports', ({ file }) => {
  const { tacho } = file.services
  // What stands in braces comes from whoever starts it.
  const given = { EMAIL: 'operator@example.com', PASSWORD: 'correct-horse' }
  const filled = Object.entries(tacho?.environment ?? {}).map(([name, value]) => [
    name,
    value.replace(/\$\{\w*?(EMAIL|PASSWORD):\?[^}]*\}/, (_all, kind: keyof typeof given) => given[kind]),
  ])
  const config = readConfig({ ...inContainer, ...Object.fromEntries(filled) })
  expect(config).toMatchObject({
    host: '0.0.0.0',
    teltonikaHost: '0.0.0.0',
    unknownDevices: 'reject',
    email: given.EMAIL,
  })
  expect(tacho?.ports).toEqual([
    `127.0.0.1:${config.port}:${config.port}`,
    `${config.teltonikaPort}:${config.teltonikaPort}/tcp`,
    `${config.teltonikaPort}:${config.teltonikaPort}/udp`,
  ])
  for (const other of Object.keys(tacho?.depends_on ?? {})) expect(file.services[other]?.healthcheck).toBeDefined()
  const databaseHost = config.databaseUrl === undefined ? 'tacho' : new URL(config.databaseUrl).hostname
  expect(Object.keys(file.services)).toContain(databaseHost)
  const mounted = Object.values(file.services).flatMap(({ volumes = [] }) => volumes.map(text => text.split(':')[0]))
  expect(mounted).toEqual(Object.keys(file.volumes))
  for (const { stop_grace_period: patience } of Object.values(file.services)) expect(patience).toBe('2m')
})

test('the container runs as a user of its own, keeps its data in a volume, and tells whether it is ready', () => {
  expect(containerfile).toMatch(/^USER tacho$/m)
  expect(containerfile).toMatch(new RegExp(`^VOLUME ${inContainer.TACHO_DATA}$`, 'm'))
  expect(containerfile).toContain('/readyz')
  expect(containerfile).toMatch(/^CMD \["tacho", "serve"\]$/m)
  for (const { port, teltonikaPort } of [readConfig(inContainer)])
    expect(containerfile).toContain(`EXPOSE ${port} ${teltonikaPort}/tcp ${teltonikaPort}/udp`)
})
