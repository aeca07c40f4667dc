import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateSource } from 'oazapfts'
import { afterAll, expect, it } from 'vitest'
import { ensureFirstUser } from '../src/access/users.ts'
import { startService } from './service.ts'

const run = promisify(execFile)
const MODULES = fileURLToPath(new URL('../node_modules', import.meta.url))
const EMAIL = 'developer@fleet.example.com'
const PASSWORD = 'seven grey herons on pier nine'

/** What somebody writes who has nothing but the client. The types in it are names of the document. */
const PROGRAM = `
import * as tacho from './client.js'
import type { Event, IngestEvent, TokenReply, Vehicle } from './client.js'

const [baseUrl = '', username = '', password = ''] = process.argv.slice(2)
tacho.defaults.baseUrl = baseUrl

const login = await tacho.issueTokens({ grant_type: 'password', username, password })
if (login.status !== 200) throw new Error(login.data.errorMessage)
const tokens: TokenReply = login.data
tacho.defaults.headers = { authorization: \`Bearer \${tokens.access_token}\` }

const measured: IngestEvent = {
  deviceId: 356307042441013,
  recordedTimestamp: '2020-02-22T14:37:07.797Z',
  eventType: 'GPS_SPEED',
  value: 48.5,
}
const receipt = await tacho.postIngestEvents([measured])

const listed = await tacho.getVehicles({ lastEventTypes: 'GPS_SPEED' })
if (listed.status !== 200) throw new Error(listed.data.errorMessage)
const vehicle: Vehicle | undefined = listed.data.vehicles[0]
if (!vehicle) throw new Error('no vehicle')

const changed = await tacho.putVehiclesVehicleIdSettings(vehicle.id, { settings: { numberPlate: 'M-TC 4711' } })
const one = await tacho.getVehiclesVehicleId(vehicle.id)
const events = await tacho.getEvents({ deviceId: measured.deviceId, maxResults: 10 })
const first: Event | undefined = events.status === 200 ? events.data[0] : undefined
const missing = await tacho.getTripsTripId('4711')

console.log(
  JSON.stringify({
    receipt: receipt.data,
    changed: changed.status,
    plate: one.status === 200 ? one.data.licensePlate : undefined,
    lastEvent: vehicle.lastEvents[0]?.value,
    event: [first?.event_type, first?.value, first?.unit],
    missing: missing.status === 404 ? missing.data.errorMessage : undefined,
  }),
)
`

const COMPILER_OPTIONS = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  types: ['node'],
  skipLibCheck: true,
  outDir: 'out',
}

const service = await startService({ UNKNOWN_DEVICES: 'accept' })
await ensureFirstUser(service.database, { email: EMAIL, password: PASSWORD })
const folder = await mkdtemp(join(tmpdir(), 'tacho-client-'))
await symlink(MODULES, join(folder, 'node_modules'))
afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

it('a client that is generated from the document compiles and works, with names that a person can read', async () => {
  const document = await (await fetch(`${service.url}/openapi.json`)).text()
  const inFolder = (name: string) => join(folder, name)
  await writeFile(inFolder('openapi.json'), document)
  await writeFile(inFolder('package.json'), '{"type":"module"}')
  await writeFile(inFolder('client.ts'), await generateSource(inFolder('openapi.json')))
  await writeFile(inFolder('use.ts'), PROGRAM)
  await writeFile(
    inFolder('tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['client.ts', 'use.ts'] }),
  )
  // Whatever the compiler has to say stands in what it wrote.
  const compiled = await run(process.execPath, [join(MODULES, 'typescript/bin/tsc'), '-p', folder]).catch(
    (error: unknown) => error as { stdout: string },
  )
  expect(compiled.stdout).toBe('')
  const { stdout } = await run(process.execPath, [inFolder('out/use.js'), service.url, EMAIL, PASSWORD])
  expect(JSON.parse(stdout)).toEqual({
    receipt: { accepted: 1, duplicates: 0 },
    changed: 200,
    plate: 'M-TC 4711',
    lastEvent: 48.5,
    event: ['GPS_SPEED', 48.5, 'km/h'],
    missing: expect.stringContaining('4711'),
  })
})

it('every object that the service gives or takes whole has a name', async () => {
  const { components } = (await (await fetch(`${service.url}/openapi.json`)).json()) as {
    components: { schemas: Record<string, object> }
  }
  expect(Object.keys(components.schemas)).toEqual(
    expect.arrayContaining([
      'Vehicle',
      'VehicleList',
      'Event',
      'LastEvent',
      'IngestEvent',
      'IngestReceipt',
      'TokenReply',
    ]),
  )
})
