import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { fromVectorTileJs, GeoJSONWrapper } from '@maplibre/vt-pbf'
import { type Entry, zxyToTileId } from 'pmtiles'
import { startOf } from '../src/geo/map-extract.ts'

/** A place on the map that the tests make: the old town of Munich, a street with a house in a few tiles. */
export const MADE_MAP = {
  bounds: [11.55, 48.12, 11.6, 48.15],
  minZoom: 0,
  maxZoom: 14,
  street: 'Kaufingerstraße',
  houseNumber: '24',
} as const

const EXTENT = 4096
const MIDDLE = { lon: 11.575, lat: 48.137 }

type Ring = [number, number][]
interface MadeFeature {
  readonly type: 1 | 2 | 3
  readonly tags: Readonly<Record<string, string | number>>
  readonly geometry: Ring | Ring[]
}

/** What a tile of Protomaps' schema has at least. @param scale how wide the street's surroundings are in the tile */
function layersAt(z: number): Record<string, MadeFeature[]> {
  const square = (from: number, to: number): Ring => [
    [from, from],
    [to, from],
    [to, to],
    [from, to],
    [from, from],
  ]
  const half = EXTENT / 2
  return {
    earth: [{ type: 3, tags: { kind: 'earth' }, geometry: [square(0, EXTENT)] }],
    water: [{ type: 3, tags: { kind: 'river' }, geometry: [square(100, 700)] }],
    landuse: [{ type: 3, tags: { kind: 'park' }, geometry: [square(2600, 3600)] }],
    roads: [
      {
        type: 2,
        tags: { kind: z < 10 ? 'highway' : 'major_road', kind_detail: 'primary', name: MADE_MAP.street, min_zoom: 5 },
        geometry: [
          [
            [0, half],
            [EXTENT, half],
          ],
        ],
      },
    ],
    buildings: [
      { type: 3, tags: { kind: 'building' }, geometry: [square(half + 100, half + 400)] },
      {
        type: 1,
        tags: { kind: 'address', addr_housenumber: MADE_MAP.houseNumber },
        geometry: [[half + 250, half + 250]],
      },
    ],
    places: [
      {
        type: 1,
        tags: {
          kind: 'locality',
          kind_detail: 'city',
          name: 'München',
          'name:en': 'Munich',
          min_zoom: 3,
          population_rank: 13,
        },
        geometry: [[half, half + 600]],
      },
    ],
  }
}

function encodedTile(z: number): Buffer {
  const layers = Object.entries(layersAt(z)).map(([name, features]) => {
    const layer = new GeoJSONWrapper(features as ConstructorParameters<typeof GeoJSONWrapper>[0], {
      version: 2,
      extent: EXTENT,
    })
    layer.name = name
    return [name, layer] as const
  })
  return gzipSync(fromVectorTileJs({ layers: Object.fromEntries(layers) }))
}

function* middleTiles() {
  const sine = Math.sin((MIDDLE.lat * Math.PI) / 180)
  for (let z = 0; z <= MADE_MAP.maxZoom; z++) {
    const x = Math.floor(((MIDDLE.lon + 180) / 360) * 2 ** z)
    const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z)
    yield { id: zxyToTileId(z, x, y), bytes: encodedTile(z) }
  }
}

interface MadeMap {
  /** 1: vector tiles; 2: PNG. */
  readonly tileType?: number
  readonly layers?: readonly string[]
  /** Instead of those of the middle; equal buffers are stored once. */
  readonly tiles?: readonly { readonly id: number; readonly bytes: Buffer }[]
  readonly bounds?: readonly number[]
  readonly maxZoom?: number
}

/** Writes a small map (PMTiles 3, docs.protomaps.com/pmtiles), with the tile of the middle at each zoom. */
export async function writeMadeMap(
  path: string,
  {
    tileType = 1,
    layers,
    tiles = [...middleTiles()],
    bounds = MADE_MAP.bounds,
    maxZoom = MADE_MAP.maxZoom,
  }: MadeMap = {},
): Promise<void> {
  const offsets = new Map<Buffer, number>()
  const placed: Entry[] = []
  let size = 0
  for (const { id: tileId, bytes } of tiles) {
    const { length } = bytes
    const offset = offsets.get(bytes) ?? size
    const last = placed.at(-1)
    if (last?.offset === offset && last.tileId + last.runLength === tileId) last.runLength++
    else placed.push({ tileId, offset, length, runLength: 1 })
    if (offset === size) size += length
    offsets.set(bytes, offset)
  }
  const names = layers ?? Object.keys(layersAt(0))
  const metadata = gzipSync(
    JSON.stringify({
      vector_layers: names.map(id => ({ id, fields: {} })),
      attribution: '<a href="https://www.openstreetmap.org/copyright">&copy; OpenStreetMap</a>',
      'planetiler:osm:osmosisreplicationtime': '2026-11-01T00:00:00Z',
    }),
  )
  const header = Buffer.alloc(127)
  header.write('PMTiles\u0003')
  // Directories and tiles as gzip.
  Buffer.from([2, 2, tileType, MADE_MAP.minZoom]).copy(header, 97)
  header.writeUInt8(12, 118)
  const [west = 0, south = 0, east = 0, north = 0] = bounds
  const start = startOf(header, { placed, metadata, box: { west, south, east, north }, maxZoom })
  await writeFile(path, Buffer.concat([start, ...offsets.keys()]))
}
