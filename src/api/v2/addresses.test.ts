import { afterAll, describe, expect, it } from 'vitest'
import { startApi, type TestClient } from '../../../test/api.ts'
import { nominatimReply, startGeocoderStandIn } from '../../../test/geocoder-stand-in.ts'
import { expectDocumented } from '../../../test/openapi-conformity.ts'

const api = await startApi()
const client = await api.client('Fleet')

afterAll(() => api.stop())

const nameOf = async (position: string, language = 'en') => {
  const path = position.startsWith('?') ? `/addresses${position}` : `/addresses/${position}`
  const reply = await client.get(path, { 'accept-language': language })
  await expectDocumented(reply, 'GET', `/cc/v2.0${path}`)
  return reply
}

describe('GET /addresses/{position}', () => {
  it('names a position in the language of the reader', async () => {
    expect((await nameOf('48.137,11.575')).json()).toMatchObject({
      locality: 'Munich',
      state: 'Bavaria',
      country: 'Germany',
    })
    expect((await nameOf('48.137,11.575', 'de')).json()).toMatchObject({ locality: 'München', country: 'Deutschland' })
  })

  it('names several in their order, and no more than fit into an address', async () => {
    const reply = await nameOf('?positions=48.137,11.575;-40,-120')
    expect(reply.json()).toMatchObject({ addresses: [{ locality: 'Munich' }, { locality: '' }] })
    expect((await nameOf(`?positions=${Array(251).fill('1,1').join(';')}`)).statusCode).toBe(400)
    expect((await nameOf('?positions=48.1')).statusCode).toBe(400)
  })

  it('leaves empty what has no name: the middle of an ocean', async () => {
    expect((await nameOf('-40,-120')).json()).toEqual({ suburb: '', locality: '', state: '', country: '' })
  })

  it.each(['48.137', '91,0', '0,181', 'a,b', '48,137,11', '1e1,5', '48.1;11.5'])('refuses %s', async position => {
    const reply = await nameOf(encodeURIComponent(position))
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ errorMessage: expect.stringMatching(/^position must be/) })
  })
})

describe('GET /places', () => {
  const find = async (of: TestClient, query: string, language = 'de') => {
    const reply = await of.get(`/places?${query}`, { 'accept-language': language })
    await expectDocumented(reply, 'GET', `/cc/v2.0/places?${query}`)
    return reply.json<{ readonly places: readonly Record<string, unknown>[]; readonly geocoder: string }>()
  }

  it.each([
    ['karlsr', 'Karlsruhe', 'Baden-Württemberg, Deutschland'],
    ['Muenchen', 'München', 'Bayern, Deutschland'],
    ['cologne', 'Köln', 'Nordrhein-Westfalen, Deutschland'],
    ['saint-etienne', 'Saint-Étienne', 'Auvergne-Rhône-Alpes, Frankreich'],
    ['halle saale', 'Halle (Saale)', 'Sachsen-Anhalt, Deutschland'],
    // Called just so, it goes before the larger one of which it is a word.
    ['york', 'York', 'England, Vereinigtes Königreich'],
  ])('finds %s, the largest first', async (text, name, within) => {
    const { places, geocoder } = await find(client, `text=${text}&addresses=true`)
    expect([places[0], geocoder]).toEqual([expect.objectContaining({ name, within, kind: 'place' }), 'none'])
    expect(places.length).toBeLessThanOrEqual(10)
  })

  it('finds words inside a name, and nothing for nothing', async () => {
    const { places } = await find(client, 'text=main', 'en')
    expect(places).toContainEqual(expect.objectContaining({ name: 'Frankfurt am Main', within: 'Hesse, Germany' }))
    expect((await find(client, 'text=')).places).toEqual([])
    expect((await client.get(`/places?text=${'a'.repeat(201)}`)).statusCode).toBe(400)
  })

  it('asks the geocoder where it is wanted, and does without it where it fails', async () => {
    const standIn = await startGeocoderStandIn(request => ({ body: [nominatimReply(request).body] }))
    const withGeocoder = await startApi({ GEOCODER_URL: standIn.url, GEOCODER_BUDGET: '60000' })
    const asking = await withGeocoder.client('Fleet')
    expect((await find(asking, 'text=rosenheim')).geocoder).toBe('not asked')
    expect(standIn.requests).toEqual([])
    const { places, geocoder } = await find(asking, 'text=rosenheim&addresses=true')
    expect([places[0]?.name, places.at(-1)?.name, geocoder]).toEqual([
      'Rosenheim',
      'Rosenheimer Straße 145',
      'answered',
    ])
    standIn.answer = () => ({ status: 500, body: '' })
    expect(await find(asking, 'text=rosenheim&addresses=true')).toMatchObject({ geocoder: 'failed' })
    await withGeocoder.stop()
    await standIn.stop()
  })
})
