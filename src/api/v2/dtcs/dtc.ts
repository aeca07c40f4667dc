import { dtcLabel } from '../../../catalogue/dtc-labels.ts'
import { ecuName } from '../../../catalogue/ecus.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import type { Language } from '../../language.ts'
import type { DtcRow } from './query.ts'
import type { Dtc } from './schema.ts'

/** A trouble code as a caller sees it: the operator's own label takes precedence over that of the catalogue. */
export function dtcOf({ recorded, deleted, modified, ownLabel, ...row }: DtcRow, language: Language): Dtc {
  return {
    ...row,
    id: String(row.id),
    ecuType: ecuName(row.ecuTypeId, language),
    label: ownLabel ?? dtcLabel(row.code, language),
    recordedTimestamp: millisecondText(recorded),
    deleteTimestamp: deleted === null ? null : millisecondText(deleted),
    modifyTimestamp: modified,
  }
}
