import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import {
  type GeocoderReply,
  type GeocoderStandIn,
  nominatimReply,
  photonReply,
  startGeocoderStandIn,
  UNABLE_TO_GEOCODE,
} from '../../test/geocoder-stand-in.ts'
import { TestClock } from '../../test/test-clock.ts'
import { Geocoder, GeocoderFault, type GeocoderOptions } from './geocoder.ts'

const PLACE = { lat: 48.1275, lon: 11.6055 }
const IN_GERMAN = {
  road: 'Rosenheimer Straße',
  houseNumber: '145',
  suburb: 'Au-Haidhausen',
  locality: 'München',
  state: 'Bayern',
  country: 'Deutschland',
  postcode: '81671',
}
const never = new AbortController().signal

let standIn: GeocoderStandIn
beforeEach(async () => {
  standIn = await startGeocoderStandIn(nominatimReply)
})
afterEach(() => standIn.stop())

const ask = (options: Partial<GeocoderOptions> = {}, signal = never) =>
  new Geocoder({ url: standIn.url, kind: 'nominatim', ...options }).addressAt(PLACE, 'de', signal)

const faultOf = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof GeocoderFault)) throw new Error(`no fault but ${String(error)}`)
  return error
}

describe('a server answers', () => {
  it('as Nominatim', async () => {
    expect(await ask()).toEqual(IN_GERMAN)
    const { path, parameters, headers } = standIn.requests[0]!
    expect(path).toBe('/reverse')
    expect(parameters).toEqual({
      lat: '48.1275',
      lon: '11.6055',
      format: 'jsonv2',
      addressdetails: '1',
      'accept-language': 'de',
    })
    expect(headers['user-agent']).toMatch(/^Tacho\/\d/)
  })

  it('as Photon', async () => {
    standIn.answer = photonReply
    expect(await ask({ kind: 'photon' })).toEqual(IN_GERMAN)
    expect(standIn.requests[0]).toMatchObject({
      path: '/reverse',
      parameters: { lat: '48.1275', lon: '11.6055', lang: 'de', limit: '1' },
    })
  })

  test.each([
    ['the address of the server', '', '/reverse'],
    ['a folder of it', '/nominatim/', '/nominatim/reverse'],
    ['the whole address of the request', '/v1/reverse', '/v1/reverse'],
    ['a key for it', '/v1?key=secret', '/v1/reverse'],
  ])('at %s', async (_, added, path) => {
    expect(await ask({ url: standIn.url + added })).toEqual(IN_GERMAN)
    expect(standIn.requests[0]).toMatchObject({ path, parameters: added.includes('?') ? { key: 'secret' } : {} })
  })

  test.each<[string, GeocoderOptions['kind'], unknown, unknown]>([
    [
      'a village, of which only some parts are known',
      'nominatim',
      { address: { village: 'Aying', country: 'Deutschland', postcode: ' ', house_number: 7 } },
      { locality: 'Aying', country: 'Deutschland' },
    ],
    [
      'a street of Photon, which has its name in another place',
      'photon',
      { features: [{ properties: { type: 'street', name: 'Hauptstraße', city: 'Aying', osm_key: 'highway' } }] },
      { road: 'Hauptstraße', locality: 'Aying' },
    ],
    [
      'a city of Photon',
      'photon',
      { features: [{ properties: { type: 'city', name: 'Wien', country: 'Österreich' } }] },
      { locality: 'Wien', country: 'Österreich' },
    ],
    ['nothing, on the sea', 'nominatim', UNABLE_TO_GEOCODE.body, undefined],
    ['nothing, on the sea, as Photon', 'photon', { type: 'FeatureCollection', features: [] }, undefined],
  ])('with %s', async (_, kind, body, expected) => {
    standIn.answer = () => ({ body })
    expect(await ask({ kind })).toEqual(expected)
  })

  it('with texts that are cut where they are longer than any name', async () => {
    standIn.answer = () => ({ body: { address: { road: 'x'.repeat(10_000) } } })
    expect((await ask())?.road).toHaveLength(200)
  })
})

describe('a server fails', () => {
  test.each<[string, GeocoderReply, string, (number | undefined)?]>([
    ['busy', { status: 429, headers: { 'retry-after': '7' }, body: '' }, 'status 429', 7000],
    ['busy for years', { status: 429, headers: { 'retry-after': '99999999' }, body: '' }, 'status 429', 3_600_000],
    ['busy, it does not say how long', { status: 429, headers: { 'retry-after': 'soon' }, body: '' }, 'status 429'],
    ['broken', { status: 502, body: '<html>Bad gateway</html>' }, 'status 502'],
    ['wrong key', { status: 401, body: {} }, 'status 401'],
    ['not JSON', { body: '<html>welcome</html>' }, 'the answer is not JSON'],
    ['cut off', { body: '{"address": {"road": "Ros' }, 'the answer is not JSON'],
    ['another service', { body: ['hello'] }, 'the answer is not a JSON object'],
    [
      'another error',
      { body: { error: 'database is down' } },
      'the answer is not one of Nominatim, which has an object "address"',
    ],
    ['without end', { body: ' '.repeat(300_000) }, 'the answer has more than 262144 bytes'],
    ['elsewhere', { status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' }, 'no answer'],
  ])('%s', async (_, reply, message, retryAfterMs) => {
    standIn.answer = () => reply
    const fault = await faultOf(ask())
    expect(fault.message).toBe(message)
    expect(fault.retryAfterMs).toBe(retryAfterMs)
  })

  it('with a date until which to leave it alone', async () => {
    const clock = new TestClock()
    standIn.answer = () => ({
      status: 503,
      headers: { 'retry-after': new Date(clock.wallMs() + 60_000).toUTCString() },
      body: '',
    })
    expect((await faultOf(ask({ clock }))).retryAfterMs).toBe(60_000)
  })

  it('by being too slow, or not there', async () => {
    standIn.answer = request => ({ ...nominatimReply(request), delayMs: 5000 })
    expect((await faultOf(ask({ timeoutMs: 50 }))).message).toBe('no answer in time')
    await standIn.stop()
    expect((await faultOf(ask())).message).toBe('no answer (ECONNREFUSED)')
  })

  it('another way than being stopped', async () => {
    standIn.answer = request => ({ ...nominatimReply(request), delayMs: 5000 })
    const stop = new AbortController()
    const asked = ask({}, stop.signal)
    stop.abort(new Error('the service stops'))
    await expect(asked).rejects.toThrow('the service stops')
  })
})

test.each([
  ['nominatim', '/search', { format: 'jsonv2', addressdetails: '1', 'accept-language': 'de' }],
  ['photon', '/api', { lang: 'de' }],
] as const)('places of a name are found by %s', async (kind, path, parameters) => {
  standIn.answer = request => (kind === 'photon' ? photonReply(request) : { body: [nominatimReply(request).body] })
  const find = () => new Geocoder({ url: `${standIn.url}/v1/reverse`, kind }).find('rosenheimer 145', 5, 'de', never)
  expect(await find()).toEqual([
    {
      name: 'Rosenheimer Straße 145',
      within: '81671 München, Bayern, Deutschland',
      kind: 'address',
      lat: 48.1275012,
      lon: 11.6055034,
    },
  ])
  expect(standIn.requests[0]).toMatchObject({
    path: `/v1${path}`,
    parameters: { q: 'rosenheimer 145', limit: '5', ...parameters },
  })
  standIn.answer = () => ({ body: {} })
  expect((await faultOf(find())).message).toMatch(/the answer is not one of (Nominatim|Photon)/)
})
