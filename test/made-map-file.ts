import { writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { fromVectorTileJs, GeoJSONWrapper } from '@maplibre/vt-pbf'
import { zxyToTileId } from 'pmtiles'

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

function varints(values: readonly number[]): Buffer {
  const bytes: number[] = []
  for (const value of values) {
    let rest = value
    while (rest >= 128) {
      bytes.push((rest % 128) + 128)
      rest = Math.floor(rest / 128)
    }
    bytes.push(rest)
  }
  return Buffer.from(bytes)
}

interface Broken {
  /** 1: vector tiles; 2: PNG. */
  readonly tileType?: number
  readonly layers?: readonly string[]
}

/** Writes a small map (PMTiles 3, docs.protomaps.com/pmtiles), with the tile of the middle at each zoom. */
export async function writeMadeMap(path: string, { tileType = 1, layers }: Broken = {}): Promise<void> {
  const tiles = Array.from({ length: MADE_MAP.maxZoom + 1 }, (_, z) => {
    const sine = Math.sin((MIDDLE.lat * Math.PI) / 180)
    const x = Math.floor(((MIDDLE.lon + 180) / 360) * 2 ** z)
    const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z)
    return { id: zxyToTileId(z, x, y), bytes: encodedTile(z) }
  }).sort((one, other) => one.id - other.id)
  const directory = gzipSync(
    Buffer.concat([
      varints([tiles.length]),
      varints(tiles.map(({ id }, index) => id - (tiles[index - 1]?.id ?? 0))),
      varints(tiles.map(() => 1)),
      varints(tiles.map(({ bytes }) => bytes.length)),
      // 0: behind the one before.
      varints(tiles.map((_, index) => (index === 0 ? 1 : 0))),
    ]),
  )
  const names = layers ?? Object.keys(layersAt(0))
  const about = gzipSync(
    JSON.stringify({
      vector_layers: names.map(id => ({ id, fields: {} })),
      attribution: '<a href="https://www.openstreetmap.org/copyright">&copy; OpenStreetMap</a>',
      'planetiler:osm:osmosisreplicationtime': '2026-11-01T00:00:00Z',
    }),
  )
  const data = Buffer.concat(tiles.map(({ bytes }) => bytes))
  const header = Buffer.alloc(127)
  header.write('PMTiles', 0, 'ascii')
  header.writeUInt8(3, 7)
  const parts = [directory.length, about.length, 0, data.length]
  parts.reduce((offset, length, index) => {
    header.writeBigUInt64LE(BigInt(offset), 8 + index * 16)
    header.writeBigUInt64LE(BigInt(length), 16 + index * 16)
    return offset + length
  }, header.length)
  for (const at of [72, 80, 88]) header.writeBigUInt64LE(BigInt(tiles.length), at)
  // Clustered; directories and tiles as gzip.
  Buffer.from([1, 2, 2, tileType, MADE_MAP.minZoom, MADE_MAP.maxZoom]).copy(header, 96)
  MADE_MAP.bounds.forEach((degrees, index) => header.writeInt32LE(Math.round(degrees * 1e7), 102 + index * 4))
  header.writeUInt8(12, 118)
  header.writeInt32LE(Math.round(MIDDLE.lon * 1e7), 119)
  header.writeInt32LE(Math.round(MIDDLE.lat * 1e7), 123)
  await writeFile(path, Buffer.concat([header, directory, about, data]))
}
