import { dtcLabel } from '../../../catalogue/dtc-labels.ts'
import { ecuName } from '../../../catalogue/ecus.ts'
import { callerOf } from '../../../http/access.ts'
import { millisecondText } from '../../../http/timestamps.ts'
import type { Resource } from '../../context.ts'
import { type Language, languageOf } from '../../language.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'
import { sendSyncPage } from '../../sync-page.ts'
import { type DtcRow, listDtcs } from './query.ts'
import { type Dtc, DtcList, DtcListQuery } from './schema.ts'

/** GET /dtcs: the trouble codes of the caller's account. */
export const dtcs: Resource = (server, { database }) => {
  server.get(
    '/dtcs',
    {
      config: { access: 'dtcs' },
      schema: {
        tags: ['Trouble codes'],
        summary: 'List diagnostic trouble codes',
        description:
          'By recordedTimestamp; by modifyTimestamp with filterTimestamp. Without fromTimestamp and filterTimestamp, the newest ones.\n\n' +
          'A code is current from the first list of the device with it until the first later list of that kind without it.',
        headers: languageHeader,
        querystring: DtcListQuery,
        response: { 200: DtcList, ...errorReplies },
      },
    },
    async (request, reply) => {
      const language = languageOf(request.headers['accept-language'])
      const page = await listDtcs(database, callerOf(request).accountId, request.query, language)
      return sendSyncPage(request, reply, 'dtcs', page, row => dtcOf(row, language))
    },
  )
}

function dtcOf({ recorded, deleted, modified, ownLabel, ...row }: DtcRow, language: Language): Dtc {
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
