import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BadInputWorld, DEVICE, findingOf, mustBePlain, startBadInputWorld, VEHICLE } from './bad-input-world.ts'
import { deep } from './deep.ts'
import { garbageBytes, garbageHeader, garbageText } from './garbage-values.ts'
import { sendBytes } from './raw-http.ts'

const BASE = '/cc/v2.0'

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}

let world: BadInputWorld
let reads: readonly { readonly path: string; readonly names: readonly string[] }[]

beforeAll(async () => {
  world = await startBadInputWorld()
  const { text } = await world.send({ target: '/openapi.json' })
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Operation>> }
  reads = Object.entries(paths).flatMap(([path, { get }]) => {
    const names = (get?.parameters ?? []).filter(parameter => parameter.in === 'query').map(({ name }) => name)
    return get ? [{ path, names }] : []
  })
})
afterAll(() => world.service.stop())

const bytesOf = (pieces: readonly (Buffer | string)[]) =>
  Buffer.concat(pieces.map(piece => (typeof piece === 'string' ? Buffer.from(piece) : piece)))

/** A value as it stands in an address: encoded, encoded in a broken way, or raw bytes. */
const inAddress = fc.oneof(
  { weight: 4, arbitrary: garbageText.map(text => Buffer.from(encodeURIComponent(text.toWellFormed()))) },
  fc
    .constantFrom('%', '%z', '%zz', '%ff', '%c0%80', '%ed%a0%80', '%00', '+', '%2B', '&', '=', '#x', '?')
    .map(text => Buffer.from(text)),
  fc.uint8Array({ maxLength: 20 }).map(bytes => Buffer.from(bytes.filter(byte => byte > 32 && byte !== 127))),
)

it('garbage in every parameter of every route', async () => {
  expect(reads.flatMap(({ names }) => names).length).toBeGreaterThan(40)
  const ids: Readonly<Record<string, string>> = { deviceId: String(DEVICE), vehicleId: VEHICLE, tripId: '1' }
  // One is enough to be refused, and then the others are not even looked at.
  const seldom = fc.nat({ max: 4 }).map(number => number === 0)
  for (const { path, names } of reads) {
    const target = path.replace(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? '')
    const query = fc.tuple(...names.map(name => fc.tuple(fc.constant(name), fc.oneof(inAddress), seldom)))
    const finding = await findingOf(
      query,
      async parameters => {
        const given = parameters.filter(([, , isGiven]) => isGiven)
        const pieces = given.flatMap(([name, value]) => [`${name}=`, value, '&'])
        mustBePlain(await world.send({ target: bytesOf([target, '?', ...pieces]) }))
      },
      { numRuns: 40, longestMs: deep(2000) / reads.length },
    )
    expect(finding).toBeUndefined()
  }
})

it('each parameter alone, with each kind of garbage', async () => {
  const all = reads.flatMap(({ path, names }) => names.map(name => ({ path, name })))
  const finding = await findingOf(
    fc.tuple(fc.constantFrom(...all), inAddress),
    async ([{ path, name }, value]) => {
      const target = path.replace('{deviceId}', '17').replace('{vehicleId}', VEHICLE).replace('{tripId}', '1')
      mustBePlain(await world.send({ target: bytesOf([target, `?${name}=`, value]) }))
    },
    { numRuns: deep(75) },
  )
  expect(finding).toBeUndefined()
})

it('garbage in the ids of paths, and paths that do not exist', async () => {
  const start = fc.constantFrom(
    '/devices/',
    '/vehicles/',
    '/trips/',
    '/trip/',
    '/',
    '/vehicles/x/',
    `/vehicles/${VEHICLE}/`,
  )
  const method = fc.constantFrom('GET', 'GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD')
  const finding = await findingOf(
    fc.tuple(method, start, inAddress, fc.constantFrom('', '', '/', '/settings', '//')),
    async ([name, before, id, after]) => {
      const reply = await world.send({ method: name, target: bytesOf([BASE, before, id, after]) })
      // HEAD has no body to say it in.
      mustBePlain(name === 'HEAD' ? { ...reply, text: '{"errorMessage":"-."}' } : reply)
    },
    { numRuns: deep(50) },
  )
  expect(finding).toBeUndefined()
})

it('garbage in headers', async () => {
  const name = fc.constantFrom(
    'accept-language',
    'authorization',
    'if-none-match',
    'content-type',
    'accept',
    'accept-encoding',
    'content-encoding',
    'cookie',
    'origin',
    'range',
    'x-forwarded-for',
    'forwarded',
    'te',
    'upgrade',
  )
  const path = fc.constantFrom(
    '/devices',
    `/vehicles/${VEHICLE}`,
    '/trips',
    '/events',
    '/dtcs',
    '/aggregations',
    '/units',
  )
  const finding = await findingOf(
    fc.tuple(path, fc.dictionary(name, garbageHeader, { maxKeys: 4 })),
    async ([target, headers]) => mustBePlain(await world.send({ target: BASE + target, headers })),
    { numRuns: deep(50) },
  )
  expect(finding).toBeUndefined()
})

it.each<[what: string, bytes: string, status: number]>([
  ['a request without Host', 'GET /cc/v2.0/units HTTP/1.1\r\n\r\n', 400],
  ['an unknown expectation', 'POST / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}', 417],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}', 400],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  ['an unknown method', 'BREW /cc/v2.0/units HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a newer protocol', 'GET /cc/v2.0/units HTTP/9.9\r\nHost: a\r\n\r\n', 400],
])('%s', async (_what, bytes, status) => {
  const reply = await sendBytes(world.service.url, Buffer.from(bytes), 500)
  mustBePlain(reply)
  expect(reply.status).toBe(status)
})

it('garbage instead of a request', async () => {
  const start = fc.constantFrom(
    '',
    'GET ',
    'GET / HTTP/1.1\r\n',
    'POST /ingest/events HTTP/1.1\r\nHost: a\r\n',
    '\x16\x03\x01',
  )
  const finding = await findingOf(
    fc.tuple(start, garbageBytes),
    async ([text, bytes]) => {
      const reply = await sendBytes(world.service.url, bytesOf([text, bytes, '\r\n\r\n']), 20)
      // Nothing at all is an answer to a connection that asked nothing.
      if (reply.status !== 0) mustBePlain(reply)
    },
    { numRuns: deep(20) },
  )
  expect(finding).toBeUndefined()
  expect((await world.send({ target: '/readyz' })).status).toBe(200)
})
