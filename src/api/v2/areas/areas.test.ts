import { zipSync } from 'fflate'
import { afterAll, describe, expect, it } from 'vitest'
import { startApi, type TestClient } from '../../../../test/api.ts'
import { expectDocumented } from '../../../../test/openapi-conformity.ts'
import type { Area, AreaVersion } from './schema.ts'

const api = await startApi({ AREA_LIMIT: '12' })
const client = await api.client('Fleet')
const stranger = await api.client('Others')
afterAll(() => api.stop())

const SQUARE = {
  type: 'Polygon',
  coordinates: [
    [
      [8, 49],
      [8.1, 49],
      [8.1, 49.1],
      [8, 49.1],
      [8, 49],
    ],
  ],
}
const CIRCLE = { type: 'Point', coordinates: [8.4037, 49.0069] }

async function draw(body: object, as = client): Promise<Area> {
  const response = await as.send('POST', '/areas', body)
  expect(response.statusCode === 201 ? 201 : response.body).toBe(201)
  await expectDocumented(response, 'POST', '/areas')
  return response.json<Area>()
}

async function change(id: string, body: object): Promise<Area> {
  const response = await client.send('PUT', `/areas/${id}`, body)
  expect(response.statusCode === 200 ? 200 : response.body).toBe(200)
  return response.json<Area>()
}

const remove = (id: string, as = client) =>
  api.inject({ method: 'DELETE', url: `/cc/v2.0/areas/${id}`, headers: { authorization: `Bearer ${as.token}` } })

interface List {
  readonly areas: readonly Area[]
  readonly modifyTimestamp: string
}

async function list(query = ''): Promise<List> {
  const response = await client.get(`/areas${query}`)
  expect(response.statusCode === 200 ? 200 : response.body).toBe(200)
  await expectDocumented(response, 'GET', '/areas')
  return response.json<List>()
}

async function versionsOf(id: string): Promise<readonly AreaVersion[]> {
  const response = await client.get(`/areas/${id}/versions`)
  await expectDocumented(response, 'GET', `/areas/${id}/versions`)
  return response.json<{ versions: AreaVersion[] }>().versions
}

describe('an area', () => {
  it('is drawn, read, changed and deleted, and who syncs sees each of it', async () => {
    const before = (await list()).modifyTimestamp
    const depot = await draw({ name: ' Depot ', kind: 'DEPOT', color: '#AABBCC', geometry: CIRCLE, radiusM: 150 })
    expect(depot).toEqual({
      id: expect.stringMatching(/^\d+$/),
      name: 'Depot',
      kind: 'DEPOT',
      color: '#aabbcc',
      geometry: CIRCLE,
      radiusM: 150,
      halfWidthM: null,
      version: 1,
      validFromTimestamp: null,
      deleteTimestamp: null,
      modifyTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    })
    const one = await client.get(`/areas/${depot.id}`)
    expect(one.json()).toEqual(depot)
    expect((await list(`?filterTimestamp=${before}`)).areas).toEqual([depot])

    const renamed = await change(depot.id, { ...bodyOf(depot), name: 'Yard' })
    expect(renamed).toMatchObject({ name: 'Yard', version: 1, validFromTimestamp: null })
    expect(await change(depot.id, bodyOf(renamed))).toEqual(renamed)

    expect((await remove(depot.id)).statusCode).toBe(204)
    expect((await list(`?areaIds=${depot.id}`)).areas).toEqual([])
    expect((await list(`?areaIds=${depot.id}&includeDeleted=true`)).areas).toHaveLength(1)
    const synced = await list(`?filterTimestamp=${renamed.modifyTimestamp}`)
    expect(synced.areas).toMatchObject([{ id: depot.id, deleteTimestamp: expect.any(String) }])
    expect((await remove(depot.id)).statusCode).toBe(404)
    expect((await client.send('PUT', `/areas/${depot.id}`, bodyOf(renamed))).statusCode).toBe(404)
  })

  it('keeps how it was drawn: each shape holds until a later one does', async () => {
    const { id } = await draw({ name: 'Yard', geometry: SQUARE })
    await change(id, { name: 'Yard', geometry: CIRCLE, radiusM: 100, validFromTimestamp: '2026-03-01' })
    const drawnAgain = await change(id, {
      name: 'Yard',
      geometry: CIRCLE,
      radiusM: 200,
      validFromTimestamp: '2026-02-01',
    })
    expect(drawnAgain).toMatchObject({ version: 3, radiusM: 200, validFromTimestamp: '2026-02-01T00:00:00.000Z' })
    const times = (await versionsOf(id)).map(version => [version.validFromTimestamp, version.validToTimestamp])
    expect(times).toEqual([
      [null, '2026-02-01T00:00:00.000Z'],
      ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
      ['2026-02-01T00:00:00.000Z', null],
    ])
    await remove(id)
    const [, , last] = await versionsOf(id)
    expect(Math.abs(Date.parse(last?.validToTimestamp ?? '') - Date.now())).toBeLessThan(60_000)
  })

  it('is nobody else’s', async () => {
    const { id } = await draw({ name: 'Ours', geometry: SQUARE })
    const unknown = await stranger.get('/areas/999999')
    for (const path of [`/areas/${id}`, `/areas/${id}/versions`])
      expect((await stranger.get(path)).body).toBe(unknown.body.replace('999999', id))
    expect((await remove(id, stranger)).statusCode).toBe(404)
    expect((await stranger.send('PUT', `/areas/${id}`, { name: 'Mine', geometry: SQUARE })).statusCode).toBe(404)
    expect((await stranger.get(`/areas?areaIds=${id}`)).json<List>().areas).toEqual([])
    expect((await stranger.get('/areas/export')).json<{ features: [] }>().features).toEqual([])
    const blind = await api.client('Fleet', ['positions', 'trips'])
    expect((await blind.get('/areas')).statusCode).toBe(403)
    await remove(id)
  })

  it.each([
    [{ geometry: SQUARE }, 'name is missing.'],
    [{ name: '', geometry: SQUARE }, /^name must not have fewer than 1 characters/],
    [{ name: 'a\u0000b', geometry: SQUARE }, /^name must be a legible text/],
    [{ name: 'a', kind: 'CASTLE', geometry: SQUARE }, /^kind must be one of DEPOT, CUSTOMER/],
    [{ name: 'a', color: 'red', geometry: SQUARE }, /^color must be # and six hexadecimal digits/],
    [{ name: 'a', geometry: CIRCLE }, /^geometry is a point without radiusM/],
    [{ name: 'a', geometry: CIRCLE, radiusM: -1 }, /^geometry has radiusM -1, which is not from 1 to 500000 metres\.$/],
    [
      {
        name: 'a',
        geometry: {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [1, 1],
              [1, 0],
              [0, 1],
              [0, 0],
            ],
          ],
        },
      },
      'geometry crosses itself near 0, 0.',
    ],
    [{ name: 'a', geometry: SQUARE, validFromTimestamp: 'soon' }, /^validFromTimestamp must be an ISO 8601 timestamp/],
    [{ name: 'a', geometry: SQUARE, size: 1 }, /^size is not a field of this request/],
  ])('%j is refused with what is wrong', async (body, message) => {
    const response = await client.send('POST', '/areas', body)
    expect(response.statusCode).toBe(400)
    expect(response.json<{ errorMessage: string }>().errorMessage).toMatch(message)
  })

  it('with 10,000 points is taken, and one with more is refused', async () => {
    const around = (count: number) => {
      const points = Array.from({ length: count - 1 }, (_, index) => {
        const angle = (2 * Math.PI * index) / (count - 1)
        return [8 + Math.cos(angle) / 100, 49 + Math.sin(angle) / 100]
      })
      return { type: 'Polygon', coordinates: [[...points, points[0]]] }
    }
    const { id } = await draw({ name: 'Round', geometry: around(10_000) })
    await remove(id)
    const response = await client.send('POST', '/areas', { name: 'Rounder', geometry: around(10_001) })
    expect(response.json()).toEqual({ errorMessage: 'geometry has 10001 points; at most 10000 are possible.' })
  })

  it('is one of so many at most, also when several are drawn at once', async () => {
    const crowd = await api.client('Crowd')
    const drawn = await Promise.all(
      Array.from({ length: 15 }, (_, index) => crowd.send('POST', '/areas', { name: `${index}`, geometry: SQUARE })),
    )
    expect(drawn.filter(response => response.statusCode === 201)).toHaveLength(12)
    expect(drawn.filter(response => response.statusCode === 403)).toHaveLength(3)
  })
})

it('parts that overlap are one', async () => {
  const coordinates = [SQUARE.coordinates, SQUARE.coordinates]
  const area = await draw({ name: 'Twice', geometry: { type: 'MultiPolygon', coordinates } })
  expect(area.geometry).toMatchObject({ type: 'Polygon', coordinates: [{ length: SQUARE.coordinates[0]?.length }] })
  await remove(area.id)
})

describe('files', () => {
  it.each(['geojson', 'kml'] as const)('exported as %s are imported as they were', async format => {
    const owner = await api.client(`Exported ${format}`)
    await draw({ name: 'Tor & <Hof>', kind: 'DEPOT', color: '#123456', geometry: SQUARE }, owner)
    await draw({ name: 'Kreis', geometry: CIRCLE, radiusM: 80 }, owner)
    const road = {
      type: 'LineString',
      coordinates: [
        [8, 49],
        [8.5, 49.25],
      ],
    }
    await draw({ name: 'Straße', geometry: road, halfWidthM: 30 }, owner)
    const file = await owner.get(`/areas/export?format=${format}`)
    expect(file.headers['content-disposition']).toBe(`attachment; filename="areas.${format}"`)

    const other = await api.client(`Imported ${format}`)
    const body = format === 'kml' ? { kml: file.body } : { geojson: file.json<object>() }
    const response = await other.send('POST', '/areas/import', body)
    expect(response.statusCode === 201 ? 201 : response.body).toBe(201)
    await expectDocumented(response, 'POST', '/areas/import')
    expect(response.json<{ areaIds: string[] }>().areaIds).toHaveLength(3)
    const shown = async (as: TestClient) =>
      (await as.get('/areas')).json<List>().areas.map(area => ({ ...area, id: '', modifyTimestamp: '' }))
    expect(await shown(other)).toEqual(await shown(owner))
  })

  it.each([
    [{}, 'The body must have one of geojson, kml and file.'],
    [{ geojson: SQUARE, kml: '<kml/>' }, 'The body must have one of geojson, kml and file.'],
    [{ geojson: { type: 'FeatureCollection', features: [] } }, 'The file holds no area.'],
    [{ kml: '<kml>' }, /^The file is not KML: /],
  ])('%j is refused with what is wrong', async (body, message) => {
    const response = await client.send('POST', '/areas/import', body)
    expect(response.statusCode).toBe(400)
    expect(response.json<{ errorMessage: string }>().errorMessage).toMatch(message)
  })

  it('what of a file is no area is passed over and named, and the rest is added', async () => {
    const owner = await api.client('Careful')
    const feature = (geometry: object | null) => ({ type: 'Feature', geometry, properties: { name: 'Hof' } })
    const features = [feature(null), feature(SQUARE), feature(CIRCLE)]
    const response = await owner.send('POST', '/areas/import', { geojson: { type: 'FeatureCollection', features } })
    await expectDocumented(response, 'POST', '/areas/import')
    expect(response.json()).toEqual({
      areaIds: [expect.any(String)],
      passedOver: [
        'Area 1 of the file ("Hof") has no geometry.',
        'Area 3 of the file ("Hof") is a point without radiusM, its radius in metres.',
      ],
      passedOverCount: 2,
    })
    const none = await owner.send('POST', '/areas/import', { geojson: feature(null) })
    expect(none.json()).toEqual({ errorMessage: 'The file holds no area. Area 1 of the file ("Hof") has no geometry.' })
    expect((await owner.get('/areas')).json<List>().areas).toHaveLength(1)
  })

  const kmlOf = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?><kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>Höfe Süd</name>
    <Polygon><outerBoundaryIs><LinearRing><coordinates>8.4,49 8.41,49 8.41,49.01 8.4,49</coordinates></LinearRing></outerBoundaryIs>
    </Polygon></Placemark></kml>`
  const zipped = (files: Readonly<Record<string, string>>) =>
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])))
  const geoJson = JSON.stringify({ type: 'Feature', geometry: SQUARE, properties: { name: 'Höfe Süd' } })

  it.each<[string, Uint8Array]>([
    ['KML in Latin-1', Buffer.from(kmlOf('ISO-8859-1'), 'latin1')],
    ['KML in UTF-16', Buffer.from(`\ufeff${kmlOf('UTF-16')}`, 'utf16le')],
    ['GeoJSON in UTF-8 with a byte order mark', Buffer.from(`\ufeff${geoJson}`)],
    ['GeoJSON in UTF-16', Buffer.from(`\ufeff${geoJson}`, 'utf16le')],
    ['KMZ', zipped({ 'doc.kml': kmlOf('UTF-8'), 'files/icon.png': 'x' })],
    [
      'KMZ whose KML is not the first file',
      zipped({ '__MACOSX/._a.kml': 'x', 'img/a.png': 'x', 'Sites.KML': kmlOf('UTF-8') }),
    ],
  ])('of bytes are read, whatever they are: %s', async (name, bytes) => {
    const owner = await api.client(name)
    const response = await owner.send('POST', '/areas/import', { file: Buffer.from(bytes).toString('base64') })
    expect(response.statusCode === 201 ? 201 : response.body).toBe(201)
    expect((await owner.get('/areas')).json<List>().areas.map(area => area.name)).toEqual(['Höfe Süd'])
  })

  it.each<[string, Uint8Array, number, RegExp]>([
    ['a bomb', zipped({ 'doc.kml': '<'.repeat(40_000_000) }), 413, /^KML must have at most 2000000 characters/],
    ['another archive', zipped({ 'a.txt': 'x' }), 400, /^The file is an archive without KML\.$/],
    ['half an archive', zipped({ 'doc.kml': kmlOf('UTF-8') }).subarray(0, 150), 400, /^The archive cannot be unpacked/],
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 400, /neither KML nor KMZ, is not valid JSON\.$/],
    ['brackets', Buffer.from('['.repeat(100_000)), 400, /nested too deeply/],
    ['nothing', Buffer.of(), 400, /neither KML nor KMZ/],
  ])('of bytes are refused with what they are: %s', async (_, bytes, status, message) => {
    const response = await client.send('POST', '/areas/import', { file: Buffer.from(bytes).toString('base64') })
    expect(response.statusCode).toBe(status)
    expect(response.json<{ errorMessage: string }>().errorMessage).toMatch(message)
  })

  it('of thousands of areas are read at once', async () => {
    const roomy = await startApi()
    const owner = await roomy.client('Large')
    const features = Array.from({ length: 5000 }, (_, index) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [(index % 360) - 180, Math.floor(index / 360)] },
      properties: { name: `Place ${index}` },
    }))
    const response = await owner.send('POST', '/areas/import', {
      geojson: { type: 'FeatureCollection', features },
      radiusM: 250,
    })
    expect(response.json<{ areaIds: string[] }>().areaIds).toHaveLength(5000)
    const { areas } = (await owner.get('/areas?maxResults=10000')).json<List>()
    expect(areas.map(area => area.name)).toEqual(features.map(feature => feature.properties.name))
    await roomy.stop()
  })
})

/** What a client sends to leave an area as it is. */
function bodyOf({ name, kind, color, geometry, radiusM, halfWidthM }: Area) {
  return { name, kind, color, geometry, radiusM, halfWidthM }
}
