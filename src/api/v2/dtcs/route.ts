import { callerOf } from '../../../server/http/access.ts'
import type { Resource } from '../../context.ts'
import { sendSyncPage } from '../../lists.ts'
import { languageOf } from '../../replies.ts'
import { requestReads } from '../../request-reads.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'
import { dtcOf, listDtcs } from './query.ts'
import { DtcList, DtcListQuery } from './schema.ts'

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
      const reads = requestReads(database, request, reply)
      const page = await listDtcs(reads, callerOf(request).accountId, request.query, language)
      return sendSyncPage(request, reply, 'dtcs', page, row => dtcOf(row, language))
    },
  )
}
