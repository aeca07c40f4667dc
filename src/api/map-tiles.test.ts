import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { apiServerOn } from '../../test/api.ts'
import { writeMadeMap } from '../../test/made-map-file.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'

const folder = await mkdtemp(join(tmpdir(), 'tacho-map-tiles-'))
// Tiles are answered whether or not there is a database.
const database = openDatabase({ url: 'postgresql://localhost:1/none' })
await writeMadeMap(join(folder, 'region.pmtiles'))
const plain = await apiServerOn(database, readConfig({}))
const withMap = await apiServerOn(database, readConfig({ MAP_FILE: join(folder, 'region.pmtiles') }))
afterAll(async () => {
  await plain.close()
  await withMap.close()
  await database.close()
  await rm(folder, { recursive: true })
})

test('names of places are there for everybody, are kept by browsers, and are not sent again', async () => {
  const { statusCode, headers } = await plain.inject('/console/places/7/68/44')
  expect(statusCode).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'application/vnd.mapbox-vector-tile',
    'cache-control': 'public, max-age=86400',
  })
  const again = { 'if-none-match': String(headers.etag) }
  expect((await plain.inject({ url: '/console/places/7/68/44', headers: again })).statusCode).toBe(304)
  expect((await plain.inject('/console/places/7/0/80')).statusCode).toBe(204)
})

test("the operator's own map is served as it is stored, and browsers learn what it covers", async () => {
  const { statusCode, headers } = await withMap.inject('/console/map/14/8718/5685')
  expect(statusCode).toBe(200)
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', etag: expect.stringMatching(/^"/) })
  expect((await withMap.inject('/console/map/14/0/0')).statusCode).toBe(204)
  expect((await plain.inject('/console/map/14/8718/5685')).statusCode).toBe(404)
})

test.each(['/console/places/3/8/0', '/console/places/12/0/0', '/console/map/15/0/0', '/console/map/2/0/4'])(
  'there is no tile %s',
  async url => {
    const { statusCode, body } = await withMap.inject(url)
    expect([statusCode, body]).toEqual([404, expect.stringContaining('A tile of that address was not found.')])
  },
)

test.each(['/console/places/a/0/0', '/console/places/1/-1/0', '/console/places/27/0/0'])(
  'what is no address of a tile is said to be none: %s',
  async url => {
    expect((await plain.inject(url)).json()).toEqual({
      errorMessage: expect.stringMatching(/^[xyz] must be an integer/),
    })
  },
)

test('a file that is no map keeps the service from starting, with the name of the setting', async () => {
  const config = readConfig({ MAP_FILE: join(folder, 'nowhere.pmtiles') })
  await expect(apiServerOn(database, config)).rejects.toThrow(
    /^MAP_FILE is .*nowhere\.pmtiles, but there is no such file\.$/,
  )
})
