import { createKey, type KeyRecord, listKeys, mayMakeKeys, revokeKey, takeOverKey } from '../../../access/keys.ts'
import { isPermission } from '../../../catalogue/permissions.ts'
import { writeTransaction } from '../../../db/transaction.ts'
import { badRequest, ClientError, notFound } from '../../../model/errors.ts'
import { LONGEST_NAME, readName } from '../../../model/texts.ts'
import { callerOf } from '../../../server/http/access.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import type { Resource } from '../../context.ts'
import { requestReads } from '../../request-reads.ts'
import { ErrorBody, errorReplies } from '../../schemas.ts'
import { audit, recordChange } from '../audit.ts'
import { changeReplies, IdPath, NoContent, readId, readTimestamp } from '../schemas.ts'
import { CreatedKey, Key, KeyList, NewKeyBody } from './schema.ts'

/** /admin/keys: the keys of the programs of the caller's account. */
export const keys: Resource = (server, { database, clock }) => {
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
        description:
          'It works as long as you may administrate the account: when you are removed or lose the permission ' +
          '`administration`, it rests until another administrator takes it over.',
        body: NewKeyBody,
        response: { 201: CreatedKey, ...changeReplies },
      },
    },
    async (request, reply) => {
      const { accountId, kind, id, name: makerName } = callerOf(request)
      const { permissions } = request.body
      const name = readName(request.body.name)
      if (name === undefined) throw badRequest(`name must have 1 to ${LONGEST_NAME} characters on one line.`)
      const expires = readExpiry(request.body.expiresTimestamp ?? undefined, clock.wallMs())
      const created = await writeTransaction(database, async transaction => {
        if (kind === 'key' && !(await mayMakeKeys(transaction, id)))
          throw new ClientError(403, 'A key that was made by a key can make none.')
        const made = await createKey(transaction, { accountId, name, permissions, expires, maker: { kind, id } })
        await recordChange(transaction, request, { action: 'key created', keyId: made.id, keyName: name })
        return made
      })
      audit(request, { action: 'key created', keyId: created.id, keyName: name })
      const maker = { kind, id, name: makerName }
      const key = keyOf({ ...created, name, permissions, maker, isResting: false })
      return reply.code(201).send({ ...key, key: created.secret })
    },
  )
  server.post(
    '/keys/:id/take-over',
    {
      config: settings,
      schema: {
        tags,
        operationId: 'takeOverKey',
        summary: 'Take a key over',
        description:
          'You are its maker from now on: it goes on when whoever made it is removed or loses the permission ' +
          '`administration`, and one that rests works again, within a second. For users.',
        params: IdPath,
        response: { 200: Key, ...errorReplies, 404: ErrorBody },
      },
    },
    async request => {
      const keyId = readId(request.params.id, 'key')
      const { accountId, kind, id: userId } = callerOf(request)
      if (
        kind !== 'user' &&
        (await listKeys(database.readsOf(accountId), { accountId, id: keyId, isPresent: true })).length > 0
      )
        throw new ClientError(403, 'Only a user can take a key over.')
      const taken = await writeTransaction(database, async transaction => {
        const key = await takeOverKey(transaction, { accountId, keyId, userId })
        if (!key) throw notFound(`The key ${keyId}`)
        await recordChange(transaction, request, { action: 'key taken over', keyId, keyName: key.name })
        return key
      })
      audit(request, { action: 'key taken over', keyId, keyName: taken.name })
      return keyOf(taken)
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
      const name = await writeTransaction(database, async transaction => {
        const [revoked] = await revokeKey(transaction, String(keyId), callerOf(request).accountId)
        if (revoked === undefined) throw notFound(`The key ${keyId}`)
        await recordChange(transaction, request, { action: 'key revoked', keyId, keyName: revoked })
        return revoked
      })
      audit(request, { action: 'key revoked', keyId, keyName: name })
      return reply.code(204).send(null)
    },
  )
}

function readExpiry(text: string | undefined, nowMs: number): string | undefined {
  if (text === undefined) return undefined
  const instant = readTimestamp(text, 'expiresTimestamp')
  if (Date.parse(instant) <= nowMs) throw badRequest('expiresTimestamp is in the past.')
  return instant
}

function keyOf({
  id,
  name,
  permissions,
  created,
  expires,
  maker,
  isResting,
}: Pick<KeyRecord, 'id' | 'name' | 'permissions' | 'created' | 'expires' | 'maker' | 'isResting'>): Key {
  return {
    id: String(id),
    name,
    permissions: permissions.filter(isPermission),
    createdTimestamp: millisecondText(created),
    expiresTimestamp: expires === null ? null : millisecondText(expires),
    madeBy: maker && { ...maker, id: String(maker.id) },
    isResting,
  }
}
