import { type Static, Type } from 'typebox'
import { createKey, type KeyRecord, listKeys, mayMakeKeys, revokeKey, takeOverKey } from '../../access/keys.ts'
import { isPermission } from '../../catalogue/permissions.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { badRequest, ClientError, notFound } from '../../model/errors.ts'
import { LONGEST_NAME, readName } from '../../model/texts.ts'
import { callerOf } from '../../server/http/access.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import type { Resource } from '../context.ts'
import { requestReads } from '../request-reads.ts'
import {
  changeReplies,
  ErrorBody,
  errorReplies,
  IdPath,
  instant,
  NoContent,
  nullable,
  permissionChoice,
  permissionList,
  readId,
  readTimestamp,
  timestampIn,
} from '../schemas.ts'
import { audit, recordChange } from './audit.ts'

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
  const expires = readTimestamp(text, 'expiresTimestamp')
  if (Date.parse(expires) <= nowMs) throw badRequest('expiresTimestamp is in the past.')
  return expires
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

const name = Type.String({ description: 'What the key is for.', examples: ['workshop'], maxLength: LONGEST_NAME })

const fields = {
  id: Type.String({ description: 'Id of the key.', examples: ['12'] }),
  name,
  permissions: permissionList('What the key opens.'),
  createdTimestamp: instant('When the key was created.'),
  expiresTimestamp: nullable(instant('When the key ends; null if never.')),
  madeBy: nullable(
    Type.Object(
      {
        kind: Type.Unsafe<'user' | 'key'>({ type: 'string', enum: ['user', 'key'], description: 'What made it.' }),
        id: Type.String({ description: 'Id of the user or key.', examples: ['7'] }),
        name: Type.String({
          description: 'E-mail address of the user, or name of the key.',
          examples: ['operator@example.com'],
        }),
      },
      { description: 'Who made the key or took it over; null when the operator made it on the command line.' },
    ),
  ),
  isResting: Type.Boolean({
    description: 'Whoever made it may not administrate any more: it opens nothing until somebody takes it over.',
  }),
}

/** A key as administrators see it, without the key itself. */
const Key = Type.Object(fields, { title: 'Key', description: 'What a program sends with every request.' })
type Key = Static<typeof Key>

const KeyList = Type.Object({ keys: Type.Array(Key) }, { title: 'KeyList' })

/** A key that was just created, the only time that it is shown. */
const CreatedKey = Type.Object(
  {
    ...fields,
    key: Type.String({ description: 'The key itself. It is not shown again.', examples: ['tacho_<SECRET>'] }),
  },
  { title: 'CreatedKey' },
)

const NewKeyBody = Type.Object(
  {
    name,
    permissions: permissionChoice('What the key opens. An administrator may grant any permission of the list.'),
    expiresTimestamp: Type.Optional(nullable(timestampIn('When the key ends; never if null or absent.'))),
  },
  { title: 'NewKey', additionalProperties: false },
)
