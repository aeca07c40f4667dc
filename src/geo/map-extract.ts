import { existsSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { Compression, type Entry, ResolvedValueCache, type Source, zxyToTileId } from 'pmtiles'
import { codeOf, codeOrTextOf, OperatorError } from '../model/errors.ts'
import { DAY_MS } from '../model/time-range.ts'
import { decompress, HEADER_BYTES, MapFile } from './map-file.ts'
import type { PlaceBox } from './place-file.ts'
import { boxOfTile, type TileAddress } from './place-tiles.ts'

interface Extract {
  /** A map (PMTiles 3) of a server that knows ranges of bytes; `YYYYMMDD` stands for the newest day that it has. */
  readonly from: string
  readonly box: PlaceBox
  readonly maxZoom: number
  /** Where the file is to be; beside it, as `.part`, is what has arrived, so that the next attempt goes on there. */
  readonly path: string
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number, ofBytes: number) => void
}

/** Fetches the tiles of a box out of a larger map. @throws OperatorError */
export async function extractMap({ from, box, maxZoom, path, signal, onProgress }: Extract): Promise<void> {
  const part = `${path}.part`
  let url = from
  try {
    url = await newestDay(from, signal)
    const source = remoteFile(url, signal)
    const directories = new ResolvedValueCache(DIRECTORIES, false, decompress)
    const header = await directories.getHeader(source)
    if (header.internalCompression !== Compression.Gzip)
      throw new OperatorError(`${from} is compressed in an unusual way.`)
    const entries: Entry[] = []
    const zoom = Math.min(maxZoom, header.maxZoom)
    const directoryAt = (offset: number, length: number) => directories.getDirectory(source, offset, length, header)
    const root = await directoryAt(header.rootDirectoryOffset, header.rootDirectoryLength)
    const below = ({ offset, length }: Entry) => directoryAt(header.leafDirectoryOffset + offset, length)
    for await (const entry of entriesIn(idsIn(box, header.minZoom, zoom), root, below)) entries.push(entry)
    if (entries.length === 0) throw new OperatorError(`${url} has nothing in that box.`)
    const { placed, requests } = arrange(entries, header.tileDataOffset)
    const metadata = await bytesOf(source, header.jsonMetadataOffset, header.jsonMetadataLength)
    const start = startOf(await bytesOf(source, 0, HEADER_BYTES), { placed, metadata, box, maxZoom: zoom })
    await append(part, start, requests, source, onProgress)
    await (await MapFile.open(part, 'The file')).close()
    await rename(part, path)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    const reason = signal.aborted
      ? 'Stopped.'
      : codeOf(error) === 'ENOSPC'
        ? 'The disk is full.'
        : `Not everything could be fetched from ${url} (${codeOrTextOf(error instanceof Error ? (error.cause ?? error) : error)}).`
    const rest = ` What has arrived is in ${part}: the same command goes on there, with --from ${url}`
    throw new OperatorError(`${reason}${existsSync(part) ? rest : ''}`)
  }
}

const DAYS_BACK = 14

/** Builds are not made every day, and old ones go. */
async function newestDay(url: string, signal: AbortSignal): Promise<string> {
  if (!url.includes('YYYYMMDD')) return url
  for (let back = 0; back < DAYS_BACK; back++) {
    const day = new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')
    const ofDay = url.replace('YYYYMMDD', day)
    if ((await fetch(ofDay, { method: 'HEAD', signal })).ok) return ofDay
  }
  throw new OperatorError(`${url} is there for none of the last ${DAYS_BACK} days.`)
}

/** Directories that are remembered while the next ones are read; each is read once. */
const DIRECTORIES = 4

function remoteFile(url: string, signal: AbortSignal): Source {
  return {
    getKey: () => url,
    async getBytes(offset, length) {
      const response = await fetch(url, { headers: { range: `bytes=${offset}-${offset + length - 1}` }, signal })
      if (response.status === 206) return { data: await response.arrayBuffer() }
      await response.body?.cancel()
      if (response.status === 404) throw new OperatorError(`There is no ${url}.`)
      if (response.ok) throw new OperatorError(`${url} can only be had whole: its server knows no ranges of bytes.`)
      throw new Error(`status ${response.status}`)
    },
  }
}

async function bytesOf(source: Source, offset: number, length: number): Promise<Buffer> {
  const { data } = await source.getBytes(offset, length)
  if (data.byteLength !== length) throw new Error(`${data.byteLength} bytes of ${length}`)
  return Buffer.from(data)
}

/** From the first id to before the second. */
type Ids = readonly [from: number, to: number]

/** The ids of a box's tiles, ascending. Those of the tiles within a tile follow one another, so whole quarters are taken at once. */
function idsIn(box: PlaceBox, minZoom: number, maxZoom: number): readonly Ids[] {
  const found: Ids[] = []
  const add = (address: TileAddress, zoom: number) => {
    const { west, south, east, north } = boxOfTile(address)
    if (west >= box.east || east <= box.west || south >= box.north || north <= box.south) return
    const { z, x, y } = address
    const isInside = west >= box.west && east <= box.east && south >= box.south && north <= box.north
    if (isInside || z === zoom) {
      const count = 4 ** (zoom - z)
      const from = zxyToTileId(zoom, 0, 0) + (zxyToTileId(z, x, y) - zxyToTileId(z, 0, 0)) * count
      found.push([from, from + count])
    } else
      for (let quarter = 0; quarter < 4; quarter++)
        add({ z: z + 1, x: 2 * x + (quarter % 2), y: 2 * y + (quarter >> 1) }, zoom)
  }
  for (let zoom = minZoom; zoom <= maxZoom; zoom++) add({ z: 0, x: 0, y: 0 }, zoom)
  return found.sort(([one], [other]) => one - other)
}

/** The tiles of a directory that are wanted, and those of the directories below it. */
async function* entriesIn(
  wanted: readonly Ids[],
  entries: readonly Entry[],
  below: (leaf: Entry) => Promise<Entry[]>,
): AsyncGenerator<Entry> {
  let next = 0
  for (const [index, entry] of entries.entries()) {
    const isLeaf = entry.runLength === 0
    const end = isLeaf ? (entries[index + 1]?.tileId ?? Number.POSITIVE_INFINITY) : entry.tileId + entry.runLength
    while ((wanted[next]?.[1] ?? Number.POSITIVE_INFINITY) <= entry.tileId) next++
    for (let at = next; (wanted[at]?.[0] ?? Number.POSITIVE_INFINITY) < end; at++) {
      if (isLeaf) {
        yield* entriesIn(wanted, await below(entry), below)
        break
      }
      const [from, to] = wanted[at] ?? [0, 0]
      const tileId = Math.max(from, entry.tileId)
      yield { ...entry, tileId, runLength: Math.min(to, end) - tileId }
    }
  }
}

/** Tiles that are fetched at once, at an offset of the larger map, with what lies between them. */
interface Request {
  readonly offset: number
  length: number
  readonly tiles: { readonly offset: number; readonly length: number }[]
}

const MOST_REQUEST_BYTES = 8 * 1024 * 1024
/** Rather than asking once more, so many bytes are fetched for nothing. */
const LONGEST_GAP_BYTES = 32 * 1024

/** Equal tiles are in a map once, in the order of their first ids: so what is fetched is only ever appended. */
function arrange(entries: readonly Entry[], dataOffset: number) {
  const offsets = new Map<number, number>()
  const requests: Request[] = []
  let size = 0
  const placed = entries.map(entry => {
    const known = offsets.get(entry.offset)
    if (known !== undefined) return { ...entry, offset: known }
    const own = size
    offsets.set(entry.offset, own)
    size += entry.length
    const tile = { offset: dataOffset + entry.offset, length: entry.length }
    const last = requests.at(-1)
    const gap = last ? tile.offset - last.offset - last.length : -1
    if (last && gap >= 0 && gap <= LONGEST_GAP_BYTES && last.length + gap + tile.length <= MOST_REQUEST_BYTES) {
      last.length += gap + tile.length
      last.tiles.push(tile)
    } else requests.push({ ...tile, tiles: [tile] })
    return { ...entry, offset: own }
  })
  return { placed, requests }
}

/** Where the root directory must end (PMTiles 3). */
const START_BYTES = 16_384
const LEAF_ENTRIES = 4096

interface Start {
  readonly placed: readonly Entry[]
  readonly metadata: Buffer
  readonly box: PlaceBox
  readonly maxZoom: number
}

/** Everything before the tiles. @param of the larger map */
export function startOf(of: Buffer, { placed, metadata, box, maxZoom }: Start): Buffer {
  let root = encoded(placed)
  let leaves: Buffer[] = []
  for (let size = LEAF_ENTRIES; root.length > START_BYTES - HEADER_BYTES; size *= 2) {
    const chunks = Array.from({ length: Math.ceil(placed.length / size) }, (_, at) =>
      placed.slice(at * size, at * size + size),
    )
    leaves = chunks.map(encoded)
    let offset = 0
    root = encoded(
      leaves.map(({ length }, at) => {
        offset += length
        return { tileId: chunks[at]?.[0]?.tileId ?? 0, offset: offset - length, length, runLength: 0 }
      }),
    )
  }
  const parts = [root, metadata, Buffer.concat(leaves)]
  const contents = new Map(placed.map(({ offset, length }) => [offset, length]))
  const lengths = [...parts.map(({ length }) => length), sum(contents.values())]
  const places = lengths.flatMap((length, at) => [HEADER_BYTES + sum(lengths.slice(0, at)), length])
  const counts = [sum(placed.map(({ runLength }) => runLength)), placed.length, contents.size]
  const start = Buffer.from(of)
  for (const [at, number] of [...places, ...counts].entries()) start.writeBigUInt64LE(BigInt(number), 8 + 8 * at)
  const { west, south, east, north } = box
  const degrees = [west, south, east, north].map((corner, at) => [102 + 4 * at, corner] as const)
  const middle = [[119, (west + east) / 2] as const, [123, (south + north) / 2] as const]
  for (const [at, value] of [...degrees, ...middle]) start.writeInt32LE(Math.round(value * 1e7), at)
  start[96] = 1
  start[101] = maxZoom
  return Buffer.concat([start, ...parts])
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}

/** A directory: its columns one after another, as varints. */
function encoded(entries: readonly Entry[]): Buffer {
  const bytes: number[] = []
  const write = (number: number) => {
    let rest = number
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
    bytes.push(rest)
  }
  write(entries.length)
  for (const [at, { tileId }] of entries.entries()) write(tileId - (entries[at - 1]?.tileId ?? 0))
  for (const { runLength } of entries) write(runLength)
  for (const { length } of entries) write(length)
  for (const [at, { offset }] of entries.entries()) {
    const before = entries[at - 1]
    write(before && offset === before.offset + before.length ? 0 : offset + 1)
  }
  return gzipSync(Buffer.from(bytes))
}

/** Goes on where a former attempt for the same region of the same map ended. */
async function append(
  path: string,
  start: Buffer,
  requests: readonly Request[],
  source: Source,
  onProgress: Extract['onProgress'],
): Promise<void> {
  const file = await open(path, 'a+')
  try {
    const { size } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(start.length), 0, start.length, 0)
    const isSame = buffer.equals(start)
    const sizes = requests.map(({ tiles }) => sum(tiles.map(({ length }) => length)))
    const total = start.length + sum(sizes)
    let end = isSame ? start.length : 0
    let done = 0
    if (isSame) while (end + (sizes[done] ?? Number.POSITIVE_INFINITY) <= size) end += sizes[done++] ?? 0
    if (size > end) await file.truncate(end)
    if (!isSame) await file.appendFile(start)
    for (const { offset, length, tiles } of requests.slice(done)) {
      onProgress(total - sum(sizes.slice(done++)), total)
      const bytes = await bytesOf(source, offset, length)
      await file.appendFile(
        Buffer.concat(tiles.map(tile => bytes.subarray(tile.offset - offset, tile.offset - offset + tile.length))),
      )
    }
    onProgress(total, total)
  } finally {
    await file.close()
  }
}
