import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tileIdToZxy } from 'pmtiles'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeMadeMap } from '../../test/made-map-file.ts'
import { extractMap } from './map-extract.ts'
import { MapFile } from './map-file.ts'
import { boxOfTile } from './place-tiles.ts'

const MAX_ZOOM = 7
/** More than fit into a root directory, so that others are below it; as on the earth, many are the same sea. */
const SEA = Buffer.from('the sea')
const TILES = Array.from({ length: (4 ** (MAX_ZOOM + 1) - 1) / 3 }, (_, id) => {
  const digest = createHash('sha512').update(String(id)).digest()
  return { id, bytes: id % 16 < 5 ? SEA : Buffer.alloc(100 + (digest.readUInt16LE() % 700), digest) }
})
const EUROPE = { west: -11, south: 36, east: 30, north: 62 }
const never = new AbortController().signal

let folder: string
let server: Server
let base: string
/** What is served at which path; bytes that were asked for; how many requests are still answered; whether ranges are known. */
const files = new Map<string, Buffer>()
let asked: string[] = []
let answers = Number.POSITIVE_INFINITY
let knowsRanges = true

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tacho-extract-'))
  await writeMadeMap(join(folder, 'world.pmtiles'), { tiles: TILES, bounds: [-180, -85, 180, 85], maxZoom: MAX_ZOOM })
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
  files.set(`/${yesterday}.pmtiles`, await readFile(join(folder, 'world.pmtiles')))
  server = createServer(({ url = '', method, headers }, response) => {
    const file = files.get(url)
    if (!file || method === 'HEAD' || !knowsRanges) return response.writeHead(file ? 200 : 404).end()
    if (answers-- <= 0) return response.destroy()
    const [from = 0, to = 0] = (headers.range ?? '').replace('bytes=', '').split('-').map(Number)
    asked.push(`${from}-${to}`)
    return response.writeHead(206).end(file.subarray(from, to + 1))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true })
})

const extract = (name: string, more: Partial<Parameters<typeof extractMap>[0]> = {}) =>
  extractMap({
    from: `${base}/YYYYMMDD.pmtiles`,
    box: EUROPE,
    maxZoom: 6,
    path: join(folder, name),
    signal: never,
    onProgress: () => undefined,
    ...more,
  })

const isWanted = ({ id }: { readonly id: number }) => {
  const [z, x, y] = tileIdToZxy(id)
  const { west, south, east, north } = boxOfTile({ z, x, y })
  return z <= 6 && west < EUROPE.east && east > EUROPE.west && south < EUROPE.north && north > EUROPE.south
}

test('the tiles of a box are cut out of the newest map there is, each content once', async () => {
  const progress: number[] = []
  await extract('region.pmtiles', { onProgress: (bytes, ofBytes) => progress.push(bytes / ofBytes) })
  const map = await MapFile.open(join(folder, 'region.pmtiles'), 'The file')
  expect(map.description).toMatchObject({ bounds: [-11, 36, 30, 62], minZoom: 0, maxZoom: 6 })
  const wrong: number[] = []
  for (const tile of TILES) {
    const [z, x, y] = tileIdToZxy(tile.id)
    const found = (await map.tile({ z, x, y }))?.bytes
    if (isWanted(tile) ? !found?.equals(tile.bytes) : found !== undefined) wrong.push(tile.id)
  }
  expect(wrong).toEqual([])
  await map.close()
  const contents = [...new Set(TILES.filter(isWanted).map(({ bytes }) => bytes))]
  const header = await readFile(join(folder, 'region.pmtiles'))
  expect(header.readBigUInt64LE(64)).toBe(BigInt(contents.reduce((sum, { length }) => sum + length, 0)))
  expect(progress.at(-1)).toBe(1)
  expect(progress).toEqual(progress.toSorted((one, other) => one - other))
})

test('after an interruption it goes on where it was', async () => {
  asked = []
  await extract('once.pmtiles')
  const whole = asked
  ;[asked, answers] = [[], whole.length - 1]
  await expect(extract('twice.pmtiles')).rejects.toThrow(
    /fetched from .*the same command goes on there, with --from .*\d{8}\.pmtiles$/,
  )
  const { size } = await stat(join(folder, 'twice.pmtiles.part'))
  expect(size).toBeGreaterThan(0)
  ;[asked, answers] = [[], Number.POSITIVE_INFINITY]
  await extract('twice.pmtiles')
  // Beside the directories, only what was left.
  expect(whole.filter(range => !asked.includes(range)).length).toBeGreaterThan(2)
  expect(await readFile(join(folder, 'twice.pmtiles'))).toEqual(await readFile(join(folder, 'once.pmtiles')))
})

test('what goes wrong is said', async () => {
  await expect(extract('a', { from: `${base}/20200101.pmtiles` })).rejects.toThrow(
    /^There is no .*20200101\.pmtiles\.$/,
  )
  await expect(extract('a', { from: `${base}/of/YYYYMMDD.pmtiles` })).rejects.toThrow('for none of the last 14 days')
  await expect(extract('a', { box: { west: 0, south: 88, east: 1, north: 89 } })).rejects.toThrow('nothing in that box')
  await symlink('/dev/full', join(folder, 'full.part'))
  await expect(extract('full')).rejects.toThrow(
    /^The disk is full\. .*full\.part: the same command goes on there, with --from .*\d{8}\.pmtiles$/,
  )
  knowsRanges = false
  await expect(extract('a')).rejects.toThrow('its server knows no ranges of bytes')
})
