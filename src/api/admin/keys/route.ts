import { isPermission } from '../../../catalogue/permissions.ts'
import { badRequest, notFound } from '../../../errors.ts'
import { callerOf } from '../../../http/access.ts'
import { millisecondText } from '../../../http/timestamps.ts'
import { createKey, type KeyRecord, listKeys, revokeKey } from '../../../store/keys.ts'
import { LONGEST_NAME, readName } from '../../../store/names.ts'
import { writeTransaction } from '../../../store/transaction.ts'
import type { Resource } from '../../context.ts'
import { requestReads } from '../../request-reads.ts'
import { ErrorBody, errorReplies } from '../../schemas.ts'
import { audit } from '../audit.ts'
import { changeReplies, IdPath, NoContent, readId, readTimestamp } from '../schemas.ts'
import { CreatedKey, type Key, KeyList, NewKeyBody } from './schema.ts'

/** /admin/keys: the keys of the programs of the caller's account. */
export const keys: Resource = (server, { database }) => {
  const settings = { access: 'administration' } as const
  const tags = ['Administration']
  server.get(
    '/keys',
    {
      config: settings,
      schema: {
        tags,
        summary: 'List keys',
        description: 'Those that expired are among them, revoked ones are not. The keys themselves are never shown.',
        response: { 200: KeyList, ...errorReplies },
      },
    },
    async (request, reply) => {
      const scope = { accountId: callerOf(request).accountId, isPresent: true } as const
      return { keys: (await listKeys(requestReads(database, request, reply), scope)).map(keyOf) }
    },
  )
  server.post(
    '/keys',
    {
      config: settings,
      schema: {
        tags,
        summary: 'Create a key',
        body: NewKeyBody,
        response: { 201: CreatedKey, ...changeReplies },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request)
      const { permissions } = request.body
      const name = readName(request.body.name)
      if (name === undefined) throw badRequest(`name must have 1 to ${LONGEST_NAME} characters on one line.`)
      const expires = readExpiry(request.body.expiresTimestamp ?? undefined)
      const created = await writeTransaction(database, transaction =>
        createKey(transaction, { accountId, name, permissions, expires }),
      )
      audit(request, { action: 'key created', keyId: created.id, keyName: name })
      return reply.code(201).send({ ...keyOf({ ...created, name, permissions }), key: created.secret })
    },
  )
  server.delete(
    '/keys/:id',
    {
      config: settings,
      schema: {
        tags,
        summary: 'Revoke a key',
        description: 'Takes effect everywhere within a second.',
        params: IdPath,
        response: { 204: NoContent, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const keyId = readId(request.params.id, 'key')
      const [name] = await writeTransaction(database, transaction =>
        revokeKey(transaction, String(keyId), callerOf(request).accountId),
      )
      if (name === undefined) throw notFound(`The key ${keyId}`)
      audit(request, { action: 'key revoked', keyId, keyName: name })
      return reply.code(204).send(null)
    },
  )
}

function readExpiry(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const instant = readTimestamp(text, 'expiresTimestamp')
  if (Date.parse(instant) <= Date.now()) throw badRequest('expiresTimestamp is in the past.')
  return instant
}

function keyOf({
  id,
  name,
  permissions,
  created,
  expires,
}: Pick<KeyRecord, 'id' | 'name' | 'permissions' | 'created' | 'expires'>): Key {
  return {
    id: String(id),
    name,
    permissions: permissions.filter(isPermission),
    createdTimestamp: millisecondText(created),
    expiresTimestamp: expires === null ? null : millisecondText(expires),
  }
}
