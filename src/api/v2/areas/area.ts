import { geometryOf } from '../../../model/areas/geometry.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import type { AreaRow, AreaVersionRow } from './query.ts'
import type { Area, AreaVersion } from './schema.ts'

/** An area as its reader sees it. */
export function areaOf({ id, name, kind, color, version, validFrom, shape, deleted, modified }: AreaRow): Area {
  return {
    id: String(id),
    name,
    kind,
    color,
    ...geometryOf(shape),
    version,
    validFromTimestamp: finiteInstant(validFrom),
    deleteTimestamp: deleted === null ? null : millisecondText(deleted),
    modifyTimestamp: modified,
  }
}

export function areaVersionOf({ version, validFrom, validTo, shape }: AreaVersionRow): AreaVersion {
  return {
    version,
    validFromTimestamp: finiteInstant(validFrom),
    validToTimestamp: finiteInstant(validTo),
    ...geometryOf(shape),
  }
}

function finiteInstant(text: string): string | null {
  return text.endsWith('infinity') ? null : millisecondText(text)
}
