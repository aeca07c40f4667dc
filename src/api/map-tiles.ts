import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { MapFile, StoredTile } from '../geo/map-file.ts'
import { DEEPEST_PLACE_ZOOM, PlaceTiles, type TileAddress } from '../geo/place-tiles.ts'
import { notFound } from '../model/errors.ts'
import { integerParameter } from '../server/http/parameters.ts'
import { hidden } from '../server/http/schemas.ts'
import type { ApiServer } from './context.ts'

/** Deeper, numbers of tiles are no whole numbers any more. */
const DEEPEST_ZOOM = 26

const COLUMNS = 2 ** DEEPEST_ZOOM - 1

const TileParameters = Type.Object({
  z: integerParameter(0, DEEPEST_ZOOM, 'zoom'),
  x: integerParameter(0, COLUMNS, 'column, from the west'),
  y: integerParameter(0, COLUMNS, 'row, from the north'),
})

const route = { config: { access: 'public', etag: true }, schema: { ...hidden, params: TileParameters } } as const

/**
 * Tiles of the console's map: names of places everywhere, and what the operator's own map has. They hold no data of any
 * account, so nobody has to log in for them, and browsers keep them.
 */
export function mapTiles(server: ApiServer, mapFile: MapFile | undefined): void {
  server.get('/console/places/:z/:x/:y', route, async ({ params }, reply) => {
    refuseOutside(params, DEEPEST_PLACE_ZOOM)
    const places = await PlaceTiles.load()
    return sendTile(reply, { bytes: Buffer.from(places.tile(params)), encoding: undefined })
  })
  if (!mapFile) return
  server.get('/console/map/:z/:x/:y', route, async ({ params }, reply) => {
    refuseOutside(params, mapFile.description.maxZoom)
    return sendTile(reply, (await mapFile.tile(params)) ?? { bytes: Buffer.alloc(0), encoding: undefined })
  })
}

/** @throws ClientError 404 for a tile that the grid does not have */
function refuseOutside({ z, x, y }: TileAddress, deepestZoom: number): void {
  if (z > deepestZoom || x >= 2 ** z || y >= 2 ** z) throw notFound('A tile of that address')
}

/** An empty tile is an answer as well: 204, so that browsers keep that there is nothing. */
function sendTile(reply: FastifyReply, { bytes, encoding }: StoredTile): FastifyReply {
  reply.header('cache-control', 'public, max-age=86400')
  if (bytes.length === 0) return reply.code(204).send()
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return reply.type('application/vnd.mapbox-vector-tile').send(bytes)
}
