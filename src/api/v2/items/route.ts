import { FACTS } from '../../../derive/facts.ts'
import { callerOf } from '../../../server/http/access.ts'
import type { Resource } from '../../context.ts'
import { requestReads } from '../../request-reads.ts'
import { errorReplies } from '../../schemas.ts'
import { sendSyncPage } from '../../sync-page.ts'
import { itemOf } from './item.ts'
import { listItems } from './query.ts'
import { ItemListQuery, itemListSchema } from './schema.ts'

/** GET /<name> for each fact that consists of items. */
export const items: Resource = (server, { database }) => {
  for (const { items: kind } of FACTS) {
    if (!kind) continue
    const { name, list } = kind
    server.get(
      `/${name}`,
      {
        config: { access: list.permission },
        schema: {
          tags: [list.tag],
          summary: list.summary,
          description: list.description,
          querystring: ItemListQuery,
          response: { 200: itemListSchema(kind), ...errorReplies },
        },
      },
      async (request, reply) => {
        const reads = requestReads(database, request, reply)
        const page = await listItems(reads, kind, callerOf(request).accountId, request.query)
        return sendSyncPage(request, reply, name, page, itemOf)
      },
    )
  }
}
