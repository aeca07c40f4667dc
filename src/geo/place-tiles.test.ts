import { VectorTile } from '@mapbox/vector-tile'
import fc from 'fast-check'
import { PbfReader } from 'pbf'
import { expect, test } from 'vitest'
import { boxOfTile, DEEPEST_PLACE_ZOOM, PlaceTiles, placeInTile, type TileAddress } from './place-tiles.ts'

const tiles = await PlaceTiles.load()

type Label = Readonly<Record<string, string | number | boolean>>

function labelsOf(address: TileAddress): Label[] {
  const layer = new VectorTile(new PbfReader(tiles.tile(address))).layers.places
  return Array.from({ length: layer?.length ?? 0 }, (_, index) => layer?.feature(index).properties ?? {})
}

/** The tile of a zoom that a position is in. */
function tileAt(lat: number, lon: number, z: number): TileAddress {
  const [x, y] = placeInTile({ lat, lon }, { z, x: 0, y: 0 })
  return { z, x: Math.floor(x), y: Math.floor(y) }
}

const namesOf = (address: TileAddress) => labelsOf(address).map(({ name }) => name)

test('cities are there from afar, villages and suburbs from near, in the languages that have a name for them', () => {
  const munich = { name: 'Munich', 'name:de': 'München', kind: 'place', population: expect.any(Number) }
  expect(labelsOf(tileAt(48.137, 11.575, 3))).toContainEqual(munich)
  expect(namesOf(tileAt(48.137, 11.575, 7))).not.toContain('Hallbergmoos')
  expect(labelsOf(tileAt(48.137, 11.575, 11))).toContainEqual(munich)
  expect(namesOf(tileAt(48.3276, 11.7505, 11))).toContain('Hallbergmoos')
  expect(labelsOf(tileAt(47.3769, 8.5417, 11)).filter(({ kind }) => kind === 'suburb')).not.toEqual([])
  expect(namesOf(tileAt(52.49, 13.45, 11))).not.toContain('Berlin Treptow')
})

test('on the ocean there is nothing', () => {
  expect(tiles.tile(tileAt(-40, -20, 6))).toEqual(new Uint8Array())
})

const address = fc.integer({ min: 0, max: DEEPEST_PLACE_ZOOM - 1 }).chain(z =>
  fc.record({
    z: fc.constant(z),
    x: fc.integer({ min: 0, max: 2 ** z - 1 }),
    y: fc.integer({ min: 0, max: 2 ** z - 1 }),
  }),
)

test('whoever comes closer sees the names that were there and more of them', () => {
  fc.assert(
    fc.property(address, ({ z, x, y }) => {
      const below = [0, 1].flatMap(east =>
        [0, 1].flatMap(south => labelsOf({ z: z + 1, x: 2 * x + east, y: 2 * y + south })),
      )
      const missing = labelsOf({ z, x, y }).filter(
        ({ name, population }) => !below.some(label => label.name === name && label.population === population),
      )
      expect(missing).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test('the corners of a tile lie on its corners', () => {
  fc.assert(
    fc.property(address, tile => {
      const { west, south, east, north } = boxOfTile(tile)
      const corners = [...placeInTile({ lon: west, lat: north }, tile), ...placeInTile({ lon: east, lat: south }, tile)]
      for (const [index, value] of corners.entries()) expect(value).toBeCloseTo(index < 2 ? 0 : 1, 4)
    }),
  )
})
