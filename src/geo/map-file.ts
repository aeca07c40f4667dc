import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import { Compression, PMTiles, ResolvedValueCache, type Source, TileType } from 'pmtiles'
import { codeOf, OperatorError } from '../model/errors.ts'
import { isObject } from '../model/json-object.ts'
import type { TileAddress } from './place-tiles.ts'

/** Describes a map before any of it is drawn. */
export interface MapDescription {
  readonly bounds: readonly [west: number, south: number, east: number, north: number]
  readonly minZoom: number
  readonly maxZoom: number
  readonly layers: readonly string[]
  /** The owners of the data, as plain text; empty where the file does not name them. */
  readonly attribution: string
  /** When the data is of, as the file says; empty where it does not. */
  readonly dataDate: string
}

export interface StoredTile {
  readonly bytes: Buffer
  /** As in the header of HTTP `Content-Encoding`. */
  readonly encoding: 'gzip' | 'br' | undefined
}

/** Directories of tiles that are kept in memory: some 20 kB each. */
const DIRECTORIES = 200

/** How every such file begins, and how much it has at least. */
const MAGIC = 'PMTiles'
export const HEADER_BYTES = 127

/** Without these, it is not a map of the schema that the style draws. */
const NEEDED_LAYERS = ['earth', 'water', 'roads']
/** Only versions before 4 of the schema have these; the names of everything in them differ. */
const FORMER_LAYERS = ['natural', 'physical_line', 'physical_point']

const ENCODINGS: Partial<Record<Compression, StoredTile['encoding'] | 'none'>> = {
  [Compression.None]: 'none',
  [Compression.Gzip]: 'gzip',
  [Compression.Brotli]: 'br',
}

/** A map of vector tiles in one file (PMTiles 3), of Protomaps' schema. */
export class MapFile {
  readonly description: MapDescription
  readonly #handle: FileHandle
  readonly #tiles: PMTiles
  readonly #encoding: StoredTile['encoding']

  private constructor(handle: FileHandle, tiles: PMTiles, encoding: StoredTile['encoding'], known: MapDescription) {
    this.#handle = handle
    this.#tiles = tiles
    this.#encoding = encoding
    this.description = known
  }

  /** @param setting that names the file
   * @throws OperatorError when there is no such file, or it is no map that can be drawn */
  static async open(path: string, setting: string): Promise<MapFile> {
    const handle = await open(path).catch(error => {
      const reason = codeOf(error) === 'ENOENT' ? 'there is no such file' : `it cannot be read (${codeOf(error)})`
      throw new OperatorError(`${setting} is ${path}, but ${reason}.`)
    })
    try {
      return await MapFile.#read(handle, path)
    } catch (error) {
      await handle.close()
      const reason = error instanceof Error ? error.message : String(error)
      throw new OperatorError(
        `${setting} is ${path}, which is no map that Tacho can show: ${reason}. \`tacho map\` says how to get one.`,
      )
    }
  }

  static async #read(handle: FileHandle, path: string): Promise<MapFile> {
    const start = await handle.stat()
    if (!start.isFile()) throw new Error('it is no file')
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0)
    if (start.size < HEADER_BYTES || buffer.toString('latin1', 0, bytesRead) !== MAGIC)
      throw new Error('it is no PMTiles file')
    const source = sourceOf(handle, path)
    const directories = new ResolvedValueCache(DIRECTORIES, false, decompress)
    const header = await directories.getHeader(source)
    if (header.tileType !== TileType.Mvt) throw new Error('its tiles are not vector tiles (MVT)')
    const encoding = ENCODINGS[header.tileCompression]
    if (encoding === undefined) throw new Error('its tiles are compressed in a way that browsers do not know')
    const needed = header.tileDataOffset + (header.tileDataLength ?? 0)
    if (start.size < needed) throw new Error(`it has ${start.size} bytes of ${needed}, so a part of it is missing`)
    const about = metadataOf(await new PMTiles(source, directories, decompress).getMetadata())
    const missing = NEEDED_LAYERS.filter(name => !about.layers.includes(name))
    if (missing.length > 0)
      throw new Error(`its tiles have no layer ${missing.join(', ')}, so it is not of the schema of Protomaps`)
    if (FORMER_LAYERS.some(name => about.layers.includes(name)))
      throw new Error('it is of a version of the schema of Protomaps before 4')
    // Tiles go to the browser as they are stored.
    const tiles = new PMTiles(source, directories, async bytes => bytes)
    const { minLon, minLat, maxLon, maxLat, minZoom, maxZoom } = header
    return new MapFile(handle, tiles, encoding === 'none' ? undefined : encoding, {
      ...about,
      bounds: [minLon, minLat, maxLon, maxLat],
      minZoom,
      maxZoom,
    })
  }

  async tile({ z, x, y }: TileAddress): Promise<StoredTile | undefined> {
    const found = await this.#tiles.getZxy(z, x, y)
    return found && { bytes: Buffer.from(found.data), encoding: this.#encoding }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

function sourceOf(handle: FileHandle, path: string): Source {
  return {
    getKey: () => path,
    async getBytes(offset, length) {
      const bytes = new Uint8Array(length)
      const { bytesRead } = await handle.read(bytes, 0, length, offset)
      return { data: bytes.buffer.slice(0, bytesRead) }
    },
  }
}

const gunzipped = promisify(gunzip)
const unbrotlied = promisify(brotliDecompress)

export async function decompress(bytes: ArrayBuffer, compression: Compression): Promise<ArrayBuffer> {
  if (compression === Compression.None || compression === Compression.Unknown) return bytes
  if (compression === Compression.Gzip) return arrayBufferOf(await gunzipped(bytes))
  if (compression === Compression.Brotli) return arrayBufferOf(await unbrotlied(bytes))
  throw new Error('its directories are compressed in a way that is not known')
}

function arrayBufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}

function metadataOf(given: unknown): Pick<MapDescription, 'layers' | 'attribution' | 'dataDate'> {
  const fields = isObject(given) ? given : {}
  const layers = Array.isArray(fields.vector_layers) ? fields.vector_layers : []
  return {
    layers: layers.flatMap(layer => (isObject(layer) && typeof layer.id === 'string' ? [layer.id] : [])),
    attribution: textOf(fields.attribution),
    dataDate: textOf(fields['planetiler:osm:osmosisreplicationtime']),
  }
}

/** Without tags and references of HTML, which attributions have; the console writes links of its own. */
function textOf(value: unknown): string {
  if (typeof value !== 'string') return ''
  return value
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll('&copy;', '©')
    .replaceAll('&amp;', '&')
    .trim()
}
