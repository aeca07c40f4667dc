import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { anyCharacter } from './any-character.ts'
import { BASE, startApi } from './api.ts'
import { deep } from './deep.ts'
import { fleetRows } from './fleet-rows.ts'
import { expectDocumented, openApiDocument } from './openapi-conformity.ts'

interface Read {
  readonly path: string
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
}

const api = await startApi()
const client = await api.client('Fleet')
const rows = fleetRows(api.database)
const vehicle = await rows.vehicle(client.accountId, { deviceId: 11 })
await rows.trip(vehicle, { start: '2020-01-01T00:00:00Z' })
await rows.dtc(vehicle, { recorded: '2020-01-01T00:00:00Z' })
const reads = Object.entries((await openApiDocument()).paths)
  .filter(([path, operations]) => path.startsWith(BASE) && 'get' in operations)
  .map(([path, operations]) => ({
    path: path.slice(BASE.length),
    parameters: (operations.get as unknown as { parameters?: Read['parameters'] }).parameters ?? [],
  }))

afterAll(() => api.stop())

/** What clients, scanners and broken programs send: values that nearly fit, and values that fit nothing. */
const garbage = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.string({ unit: fc.constantFrom(...'0123456789-+:.,TZ eE/%"\'\\{}[]\0'.split('')), maxLength: 30 }),
  fc.constantFrom('', ' ', '0', '-1', '1', '11', 'true', 'ALL', 'null', 'undefined', 'NaN', '1e9', '9007199254740993'),
  fc.constantFrom('2020-01-01', '0001-01-01', '9999-12-31T23:59:59.999999Z', 'infinity', '-infinity', 'now', 'epoch'),
  fc.constantFrom('WEEK', 'FLEET', 'MIN,MAX', 'DRIVEN_DISTANCE', 'Europe/Berlin', 'Etc/GMT+12', '../../etc/passwd'),
  fc.integer().map(String),
  fc.double().map(String),
  fc.date({ noInvalidDate: true }).map(date => date.toISOString()),
  fc.json().map(text => Buffer.from(text).toString('base64url')),
  fc
    .tuple(
      fc.constantFrom('devices first', 'trips newest', 'dtcs modified', 'vehicles first'),
      fc.anything(),
      fc.anything(),
    )
    .map(place => Buffer.from(JSON.stringify(place) ?? '').toString('base64url')),
)

/** Dots alone would lead to another path, and a step of more than 1,000 characters is 414. */
function asPathStep(value: string): string {
  return Array.from(value).slice(0, 50).join('').replace(/^\.*$/, 'x')
}

describe('garbage', () => {
  it('in any parameter is answered or refused in plain words, never a fault of ours', async () => {
    const request = fc.record({
      index: fc.nat(),
      values: fc.array(garbage, { minLength: 12, maxLength: 12 }),
      given: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      language: fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ index, values, given, language }) => {
        const { path, parameters } = reads[index % reads.length] ?? { path: '/devices', parameters: [] }
        const query = new URLSearchParams()
        let target = path
        for (const [place, { name, in: where }] of parameters.entries()) {
          const value = values[place % values.length] ?? ''
          if (where === 'path') target = target.replace(`{${name}}`, () => encodeURIComponent(asPathStep(value)))
          else if (where === 'query' && given[place % given.length]) query.append(name, value)
        }
        const response = await client.get(`${target}?${query.toString()}`, { 'accept-language': language })
        expect([200, 400, 404]).toContain(response.statusCode)
        if (!target.includes('%2F')) await expectDocumented(response, 'GET', path)
      }),
      { numRuns: deep(40), endOnFailure: true },
    )
  })

  it('as settings is refused in plain words, and changes nothing', async () => {
    const path = '/vehicles/IMEI_11/settings'
    const before = (await client.get('/vehicles/IMEI_11')).body
    const name = fc.constantFrom(
      'vin',
      'numberPlate',
      'alarmSystem',
      'deleteTimestamp',
      'settings',
      '__proto__',
      'colour',
    )
    const wrong = fc.oneof(fc.anything(), garbage).filter(value => value !== null && typeof value !== 'boolean')
    const body = fc.oneof(
      fc.json(),
      garbage,
      fc
        .dictionary(
          name,
          wrong.map(value => [value]),
        )
        .map(settings => JSON.stringify(settings)),
      fc
        .dictionary(
          name,
          wrong.map(value => [value]),
        )
        .map(settings => JSON.stringify({ settings })),
    )
    await fc.assert(
      fc.asyncProperty(body, async text => {
        const response = await client.send('PUT', path, text)
        expect(response.statusCode).toBe(400)
        await expectDocumented(response, 'PUT', path)
      }),
      { numRuns: deep(25), endOnFailure: true },
    )
    expect((await client.get('/vehicles/IMEI_11')).body).toBe(before)
  })
})
