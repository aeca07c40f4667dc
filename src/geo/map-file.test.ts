import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { afterAll, expect, test } from 'vitest'
import { MADE_MAP, writeMadeMap } from '../../test/made-map-file.ts'
import { MapFile } from './map-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'tacho-map-'))
afterAll(() => rm(folder, { recursive: true }))

/** What the operator is told of a file. */
async function refusalOf(path: string): Promise<string> {
  const outcome = await MapFile.open(path, 'MAP_FILE').catch((error: Error) => error.message)
  if (typeof outcome !== 'string') throw new Error('the file was taken')
  return outcome.replaceAll(folder, '').replace(/\d+ bytes of \d+/, 'SOME bytes of MORE')
}

test('a map says where and how deep it is, of what it has layers, and whom its data is of, without markup', async () => {
  const path = join(folder, 'region.pmtiles')
  await writeMadeMap(path)
  const map = await MapFile.open(path, 'MAP_FILE')
  expect(map.description).toEqual({
    bounds: MADE_MAP.bounds,
    minZoom: 0,
    maxZoom: 14,
    layers: ['earth', 'water', 'landuse', 'roads', 'buildings', 'places'],
    attribution: '© OpenStreetMap',
    dataDate: '2026-11-01T00:00:00Z',
  })
  await map.close()
})

test('a tile comes as it is stored, and where there is none there is none', async () => {
  const path = join(folder, 'tiles.pmtiles')
  await writeMadeMap(path)
  const map = await MapFile.open(path, 'MAP_FILE')
  const tile = await map.tile({ z: 14, x: 8718, y: 5685 })
  expect(tile?.encoding).toBe('gzip')
  const { layers } = new VectorTile(new PbfReader(gunzipSync(tile?.bytes ?? '')))
  expect(layers.roads?.feature(0).properties.name).toBe(MADE_MAP.street)
  expect(await map.tile({ z: 14, x: 0, y: 0 })).toBeUndefined()
  expect(await map.tile({ z: 15, x: 0, y: 0 })).toBeUndefined()
  await map.close()
})

test('a file that is missing, cut off, of another format or schema is refused with the setting and what is wrong', async () => {
  const whole = join(folder, 'whole.pmtiles')
  await writeMadeMap(whole)
  const bytes = await readFile(whole)
  const write = async (name: string, content: Buffer | string) => {
    await writeFile(join(folder, name), content)
    return join(folder, name)
  }
  await writeMadeMap(join(folder, 'images.pmtiles'), { tileType: 2 })
  await writeMadeMap(join(folder, 'other.pmtiles'), { layers: ['transportation', 'water'] })
  await writeMadeMap(join(folder, 'former.pmtiles'), { layers: ['earth', 'natural', 'roads', 'water'] })
  expect([
    await refusalOf(join(folder, 'nowhere.pmtiles')),
    await refusalOf(folder),
    await refusalOf(await write('text.pmtiles', 'This is no map.')),
    await refusalOf(await write('empty.pmtiles', '')),
    await refusalOf(await write('cut.pmtiles', bytes.subarray(0, bytes.length - 100))),
    await refusalOf(await write('stub.pmtiles', bytes.subarray(0, 130))),
    await refusalOf(join(folder, 'images.pmtiles')),
    await refusalOf(join(folder, 'other.pmtiles')),
    await refusalOf(join(folder, 'former.pmtiles')),
  ]).toMatchInlineSnapshot(`
    [
      "MAP_FILE is /nowhere.pmtiles, but there is no such file.",
      "MAP_FILE is , which is no map that Tacho can show: it is no file. \`tacho map\` says how to get one.",
      "MAP_FILE is /text.pmtiles, which is no map that Tacho can show: it is no PMTiles file. \`tacho map\` says how to get one.",
      "MAP_FILE is /empty.pmtiles, which is no map that Tacho can show: it is no PMTiles file. \`tacho map\` says how to get one.",
      "MAP_FILE is /cut.pmtiles, which is no map that Tacho can show: it has SOME bytes of MORE, so a part of it is missing. \`tacho map\` says how to get one.",
      "MAP_FILE is /stub.pmtiles, which is no map that Tacho can show: unexpected end of file. \`tacho map\` says how to get one.",
      "MAP_FILE is /images.pmtiles, which is no map that Tacho can show: its tiles are not vector tiles (MVT). \`tacho map\` says how to get one.",
      "MAP_FILE is /other.pmtiles, which is no map that Tacho can show: its tiles have no layer earth, roads, so it is not of the schema of Protomaps. \`tacho map\` says how to get one.",
      "MAP_FILE is /former.pmtiles, which is no map that Tacho can show: it is of a version of the schema of Protomaps before 4. \`tacho map\` says how to get one.",
    ]
  `)
})
