import { type Static, Type } from 'typebox'
import { readAccount } from '../../access/accounts.ts'
import { callerOf } from '../../server/http/access.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import { permissionList } from '../admin/schemas.ts'
import type { Resource } from '../context.ts'
import { requestReads } from '../request-reads.ts'
import { errorReplies, instant, nullable } from '../schemas.ts'

/** GET /auth/session: who is calling, and what may be asked for with this token. */
export const session: Resource = (server, { database }) => {
  server.get(
    '/auth/session',
    {
      config: { access: 'any' },
      schema: {
        tags: ['Authentication'],
        operationId: 'getSession',
        summary: 'See whom a token belongs to',
        description: 'Beyond the original document.',
        response: { 200: Session, ...errorReplies },
      },
    },
    async (request, reply) => {
      const { kind, name, accountId, permissions, expires } = callerOf(request)
      const account = await readAccount(requestReads(database, request, reply), accountId)
      return {
        kind,
        name,
        account: { id: String(account.id), name: account.name },
        permissions: [...permissions],
        expiresTimestamp: expires === null ? null : millisecondText(expires),
      } satisfies Static<typeof Session>
    },
  )
}

const Session = Type.Object(
  {
    kind: Type.Unsafe<'user' | 'key'>({ type: 'string', enum: ['user', 'key'], description: 'Whose token it is.' }),
    name: Type.String({ description: 'E-mail address of the user, or name of the key.', examples: ['a@example.com'] }),
    account: Type.Object(
      {
        id: Type.String({ description: 'Id of the account.', examples: ['1'] }),
        name: Type.String({ description: 'Its name.', examples: ['Fleet'] }),
      },
      { description: 'The account whose data the token opens.' },
    ),
    permissions: permissionList('What the token opens.'),
    expiresTimestamp: nullable(instant('When the token ends; null for a key that does not.')),
  },
  { title: 'Session', description: 'Whom a token belongs to.' },
)
