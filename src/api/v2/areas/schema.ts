import { type Static, Type } from 'typebox'
import { AREA_KINDS, type AreaKind } from '../../../catalogue/area-kinds.ts'
import { AREA_GEOMETRY_TYPES, type AreaGeometry as Geometry } from '../../../model/areas/geojson.ts'
import { MOST_NAME_CHARACTERS } from '../../../model/areas/shape.ts'
import {
  booleanParameter,
  idParameter,
  syncListParameters,
  textsParameter,
  wordParameter,
} from '../../../server/http/parameters.ts'
import { checkedByRoute, instant, nullable, revision, syncList, timestampIn } from '../../schemas.ts'

const nullableNumber = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description, examples: [150] })

const RADIUS = 'Radius in metres of a circle, whose geometry is a Point; null of other areas.'
const HALF_WIDTH =
  'Of a corridor, whose geometry is a LineString, metres from the line to the border on either side; null of other areas.'

const AreaGeometry = Type.Unsafe<Geometry>({
  type: 'object',
  title: 'AreaGeometry',
  description:
    'GeoJSON (RFC 7946): a Polygon or MultiPolygon, with holes if wanted; a Point with `radiusM` for a circle; a LineString with ' +
    '`halfWidthM` for a corridor. Edges take the short way around the earth.',
  required: ['type', 'coordinates'],
  properties: {
    type: { type: 'string', enum: AREA_GEOMETRY_TYPES },
    coordinates: { type: 'array', items: {}, description: 'Longitude first, in degrees.' },
  },
})

const kind = Type.Unsafe<AreaKind>({
  type: 'string',
  enum: AREA_KINDS,
  description: 'What it is to the account.',
  examples: ['DEPOT'],
})
const color = Type.String({
  description: 'For the map: red, green and blue.',
  examples: ['#1c7ed6'],
  ...checkedByRoute({ pattern: '^#[0-9a-fA-F]{6}$' }),
})

const drawn = { geometry: AreaGeometry, radiusM: nullableNumber(RADIUS), halfWidthM: nullableNumber(HALF_WIDTH) }

/** Of the description of each route. */
export const BEYOND = 'Beyond the original document.'

export const Area = Type.Object(
  {
    id: Type.String({ description: 'Id of the area.', examples: ['7'] }),
    name: Type.String({ description: 'Its name.', examples: ['Depot Karlsruhe'] }),
    kind,
    color,
    ...drawn,
    version: Type.Integer({ description: 'How often its shape was drawn.', examples: [1] }),
    validFromTimestamp: nullable(instant('From when on this shape holds; null for all the past, too.')),
    deleteTimestamp: nullable(instant('When it was deleted; null while it is not.')),
    modifyTimestamp: revision('When it last changed.'),
  },
  { title: 'Area', description: 'A part of the map that an account has drawn.' },
)
export type Area = Static<typeof Area>

export const AreaList = syncList('areas', Area, 'AreaList')

export const AreaListQuery = Type.Object({
  areaIds: Type.Optional(textsParameter('Only these areas: ids, separated by commas.', ['7,8'])),
  kind: Type.Optional(wordParameter(AREA_KINDS, 'Only those of this kind.')),
  includeDeleted: Type.Optional(booleanParameter('Also list deleted areas; with filterTimestamp they always are.')),
  ...syncListParameters('modifyTimestamp'),
})
export type AreaListQuery = Static<typeof AreaListQuery>

export const AreaPath = Type.Object({ areaId: idParameter('The id of the area.', ['7']) })

const AreaVersion = Type.Object(
  {
    version: Type.Integer({ description: 'From 1.' }),
    validFromTimestamp: nullable(instant('From when on it holds; null for all the past, too.')),
    validToTimestamp: nullable(
      instant(
        'Until when it holds, exclusive; null while nothing ends it. One that a later one replaced altogether ends when it begins.',
      ),
    ),
    ...drawn,
  },
  { title: 'AreaVersion', description: 'How an area was drawn for a time.' },
)
export type AreaVersion = Static<typeof AreaVersion>

export const AreaVersionList = Type.Object(
  { versions: Type.Array(AreaVersion, { description: 'By version.' }) },
  { title: 'AreaVersionList' },
)

export const drawingFields = {
  geometry: AreaGeometry,
  radiusM: Type.Optional(nullableNumber(RADIUS)),
  halfWidthM: Type.Optional(nullableNumber(HALF_WIDTH)),
}

export const AreaBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MOST_NAME_CHARACTERS,
      description: 'Its name.',
      examples: ['Depot Karlsruhe'],
    }),
    kind: Type.Optional(Type.Unsafe<AreaKind>({ ...kind, default: 'OTHER' })),
    color: Type.Optional(color),
    ...drawingFields,
    validFromTimestamp: Type.Optional(
      Type.Union([
        timestampIn(
          'From when on this shape holds. By default, that of a new area holds for all the past, too, and a new shape of an area ' +
            'from now on; null: for all the past, too.',
        ),
        Type.Null(),
      ]),
    ),
  },
  { title: 'AreaBody', additionalProperties: false },
)
export type AreaBody = Static<typeof AreaBody>

export const ImportBody = Type.Object(
  {
    geojson: Type.Optional(
      Type.Unsafe<unknown>({
        type: 'object',
        description:
          'A FeatureCollection, a Feature or a geometry. Of the properties of a feature, `name` (or `title`), `kind`, `color` (or ' +
          '`fill` or `stroke`), `radiusM` and `halfWidthM` count.',
      }),
    ),
    kml: Type.Optional(
      Type.String({ description: 'The text of a KML file, instead of GeoJSON.', examples: ['<kml>…</kml>'] }),
    ),
    file: Type.Optional(
      Type.String({
        contentEncoding: 'base64',
        description: 'The bytes of a GeoJSON, KML or KMZ file, instead of these, in whatever encoding it has.',
      }),
    ),
    kind: Type.Optional(Type.Unsafe<AreaKind>({ ...kind, default: 'OTHER', description: 'Of areas that name none.' })),
    radiusM: Type.Optional(Type.Number({ description: 'Radius in metres of points that have none.', examples: [100] })),
    halfWidthM: Type.Optional(
      Type.Number({ description: 'Of lines that say nothing, metres to the border on either side.', examples: [25] }),
    ),
  },
  { title: 'AreaImport', additionalProperties: false },
)

export const MOST_PASSED_OVER = 1000

export const ImportReply = Type.Object(
  {
    areaIds: Type.Array(Type.String(), {
      description: 'The new areas, in the order of the file.',
      examples: [['7', '8']],
    }),
    passedOver: Type.Array(Type.String({ examples: ['Area 3 of the file ("Gate") has no geometry.'] }), {
      description: `What of the file is no area, and why; ${MOST_PASSED_OVER} of them at most.`,
    }),
    passedOverCount: Type.Integer({ description: 'How many they are in all.', examples: [1] }),
  },
  { title: 'AreaImportReply' },
)

const EXPORT_FORMATS = ['geojson', 'kml'] as const

export const ExportReply = {
  description: 'The file.',
  content: {
    'application/geo+json': { schema: Type.Unsafe<string>({ type: 'object' }) },
    'application/vnd.google-earth.kml+xml': { schema: Type.String() },
  },
} as const

export const ExportQuery = Type.Object({
  format: Type.Optional(wordParameter(EXPORT_FORMATS, 'The format of the file; GeoJSON unless given.')),
  areaIds: Type.Optional(textsParameter('Only these areas: ids, separated by commas.', ['7,8'])),
})
