import type { WantedArea } from '../../../fleet/areas/change-areas.ts'
import { areaColorOf, areaNameOf, DEFAULT_AREA_COLOR } from '../../../model/areas/drawn-area.ts'
import { readGeometry } from '../../../model/areas/geometry.ts'
import type { AreaShape } from '../../../model/areas/shape.ts'
import { badRequest } from '../../../model/errors.ts'
import { readTimestamp } from '../../admin/schemas.ts'
import type { AreaBody } from './schema.ts'

/** Reads what a client wants an area to be. @throws ClientError 400 naming what is wrong. */
export function readArea({ name, kind = 'OTHER', color = DEFAULT_AREA_COLOR, ...rest }: AreaBody): WantedArea {
  const readName = areaNameOf(name)
  if (readName === undefined) throw badRequest('name must be a legible text without control characters.')
  const readColor = areaColorOf(color)
  if (readColor === undefined) throw badRequest('color must be # and six hexadecimal digits, such as #1c7ed6.')
  return { name: readName, kind, color: readColor, shape: readDrawing(rest), validFrom: validFromOf(rest) }
}

function validFromOf({ validFromTimestamp }: Pick<AreaBody, 'validFromTimestamp'>): string | undefined {
  if (validFromTimestamp === undefined) return undefined
  return validFromTimestamp === null ? '-infinity' : readTimestamp(validFromTimestamp, 'validFromTimestamp')
}

/** Reads a drawing. @throws ClientError 400 naming what is wrong. */
export function readDrawing({
  geometry,
  radiusM,
  halfWidthM,
}: Pick<AreaBody, 'geometry' | 'radiusM' | 'halfWidthM'>): AreaShape {
  const read = readGeometry(geometry, { radiusM, halfWidthM })
  if ('reason' in read) throw badRequest(`geometry ${read.reason}.`)
  return read.shape
}
