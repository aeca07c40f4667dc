import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { firstAccount } from '../../access/accounts.ts'
import type { Config } from '../../config.ts'
import { type Connection, sql } from '../../db/sql.ts'
import { type Clock, SYSTEM_CLOCK } from '../../lib/clock.ts'
import { ClientError } from '../../model/errors.ts'
import { SETTINGS } from '../../settings.ts'
import { type ApiContext, type Asked, routesOf } from '../context.ts'
import { administer } from './audit.ts'

const MAP_CHOICES = ['openfreemap', 'openstreetmap', 'file', 'none'] as const
type MapChoice = (typeof MAP_CHOICES)[number]

interface RasterTiles {
  /** With `{z}`, `{x}` and `{y}`. */
  readonly url: string
  readonly maxZoom: number
  /** Whom the pictures are of, as plain text. */
  readonly attribution: string
}

/** What the console draws, besides the tiles of this server. */
export interface ShownMap {
  /** Null while nobody was asked, and where MAP_STYLE_URL is another server's. */
  readonly mapChoice: MapChoice | null
  /** The setting that decides, so that nobody else can. */
  readonly mapFixedBy: string | null
  /** A style document of another server; its variant for dark surroundings, if it has one. */
  readonly mapStyleUrl: string | null
  readonly mapStyleDarkUrl: string | null
  readonly mapTiles: RasterTiles | null
  readonly satellite: RasterTiles | null
}

const NO_STREETS = { mapStyleUrl: null, mapStyleDarkUrl: null, mapTiles: null }
const OPENFREEMAP = 'https://tiles.openfreemap.org'
const OPENSTREETMAP = {
  url: 'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
  maxZoom: 19,
  attribution: '© OpenStreetMap contributors',
}

/** How the maps of others are drawn. */
const STREETS: Partial<Record<MapChoice, Partial<ShownMap>>> = {
  openfreemap: { mapStyleUrl: `${OPENFREEMAP}/styles/liberty`, mapStyleDarkUrl: `${OPENFREEMAP}/styles/dark` },
  openstreetmap: { mapTiles: OPENSTREETMAP },
}

/** Finer pictures are rare; beyond, the browser enlarges. */
const SATELLITE_MAX_ZOOM = 18

/** For so long after it was read a choice counts, so that crowds of pages do not each ask the database. */
const LIFETIME_MS = 500
/** A page does not wait longer for the database: it is also there to say that the database is not. */
const PATIENCE_MS = 300

/** The base map of the whole installation: settings go first, then what an administrator chose, on whichever node. */
export class BaseMap {
  readonly #settings: Config
  readonly #connection: Connection
  readonly #clock: Clock
  #known: MapChoice | null = null
  #askedMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> = Promise.resolve()

  constructor(settings: Config, connection: Connection, clock: Clock = SYSTEM_CLOCK) {
    this.#settings = settings
    this.#connection = connection
    this.#clock = clock
  }

  async shown(): Promise<ShownMap> {
    const { mapStyleUrl, mapSource, mapFile, mapSatelliteUrl: url, mapSatelliteAttribution } = this.#settings
    const satellite = url ? { url, maxZoom: SATELLITE_MAX_ZOOM, attribution: mapSatelliteAttribution } : null
    if (mapStyleUrl !== undefined)
      return { ...NO_STREETS, mapChoice: null, mapFixedBy: SETTINGS.mapStyleUrl.name, mapStyleUrl, satellite }
    const fixed = mapSource ?? (mapFile === undefined ? undefined : 'file')
    const fixedBy = mapSource === undefined ? SETTINGS.mapFile.name : SETTINGS.mapSource.name
    const mapChoice = fixed ?? (await this.#chosen())
    const mapFixedBy = fixed === undefined ? null : fixedBy
    return { ...NO_STREETS, ...STREETS[mapChoice ?? 'none'], mapChoice, mapFixedBy, satellite }
  }

  /** Here it counts at once: what is just being read may be of before. */
  chose(choice: MapChoice): void {
    this.#known = choice
    this.#askedMs = this.#clock.monotonicMs()
  }

  async #chosen(): Promise<MapChoice | null> {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#askedMs >= LIFETIME_MS) {
      this.#askedMs = nowMs
      this.#reading = this.#read(nowMs).catch(() => undefined)
    }
    await Promise.race([this.#reading, sleep(PATIENCE_MS, undefined, { ref: false })])
    return this.#known
  }

  async #read(askedMs: number): Promise<void> {
    const [row] = await this.#connection.rows<{ choice: MapChoice }>(sql`select choice from chosen_map`, {
      prepareAs: 'read-chosen-map',
    })
    if (askedMs === this.#askedMs) this.#known = row?.choice ?? null
  }
}

/** The other servers that a page may ask: a style names tiles, letters and icons of any host. */
export function serversOf({ mapStyleUrl, mapTiles, satellite, mapFixedBy }: ShownMap): readonly string[] {
  const anyHost = mapStyleUrl?.startsWith('https:') ? ['https:'] : ['http:', 'https:']
  const ofStyle = mapFixedBy === SETTINGS.mapStyleUrl.name ? anyHost : [OPENFREEMAP]
  const ofTiles = [mapTiles, satellite].flatMap(tiles => (tiles ? [new URL(tiles.url).origin] : []))
  return [...(mapStyleUrl === null ? [] : ofStyle), ...ofTiles]
}

/** /admin/map: which map the console shows, to everybody; administrators of the first account, the operator's, choose. */
export function map(server: FastifyInstance, context: ApiContext, baseMap: BaseMap): void {
  const route = routesOf(server, context, { access: 'administration', tag: 'Administration', isUntranslated: true })
  const stateFor = async ({ accountId, reads }: Asked<unknown, unknown, unknown>): Promise<BaseMapState> => {
    const { mapChoice: choice, mapFixedBy: fixedBy } = await baseMap.shown()
    return { choice, fixedBy, mayChoose: fixedBy === null && (await firstAccount(reads))?.id === accountId }
  }
  route('GET /map', { operationId: 'getMap', summary: 'See which map is shown', reply: BaseMapState, answer: stateFor })
  route('PUT /map', {
    operationId: 'chooseMap',
    summary: 'Choose which map is shown',
    description:
      'For administrators of the first account: it is the map of everybody, from the next time that the console is ' +
      'opened. 409 where a setting has decided.',
    body: MapChoiceBody,
    reply: BaseMapState,
    fails: [409],
    answer: async asked => {
      const { fixedBy, mayChoose } = await stateFor(asked)
      if (fixedBy !== null) throw new ClientError(409, `The setting ${fixedBy} says which map is shown.`)
      if (!mayChoose) throw new ClientError(403, 'The map is chosen by administrators of the first account.')
      const { choice } = asked.body
      await administer(asked, context.database, async transaction => {
        await transaction.rows(sql`
          insert into chosen_map (choice) values (${choice}) on conflict (only_row) do update set choice = excluded.choice`)
        return { kind: 'map-chosen', details: { object: choice }, result: undefined }
      })
      baseMap.chose(choice)
      return { choice, fixedBy, mayChoose }
    },
  })
}

const choiceSchema = Type.Unsafe<MapChoice>({
  type: 'string',
  enum: MAP_CHOICES,
  description: "Whose streets are shown: those of two public servers, of the operator's file (`MAP_FILE`), or none.",
})

const BaseMapState = Type.Object(
  {
    choice: Type.Union([choiceSchema, Type.Null()], {
      description: 'Null while nobody has chosen, and where the style is that of MAP_STYLE_URL.',
    }),
    fixedBy: Type.Union([Type.String(), Type.Null()], { description: 'The setting that decides; null for none.' }),
    mayChoose: Type.Boolean({ description: 'Whether this caller may choose.' }),
  },
  { title: 'BaseMap', description: 'Which map the console shows.' },
)
type BaseMapState = Static<typeof BaseMapState>

const MapChoiceBody = Type.Object({ choice: choiceSchema }, { title: 'MapChoice', additionalProperties: false })
