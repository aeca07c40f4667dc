import { type Static, Type } from 'typebox'
import { createKey, type KeyRecord, listKeys, mayMakeKeys, revokeKey, takeOverKey } from '../../access/keys.ts'
import { isPermission } from '../../catalogue/permissions.ts'
import { badRequest, ClientError } from '../../model/errors.ts'
import { LONGEST_NAME, readName } from '../../model/texts.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import { orNotFound, type Resource, routesOf } from '../context.ts'
import {
  IdPath,
  instant,
  nullable,
  permissionChoice,
  permissionList,
  readId,
  readTimestamp,
  timestampIn,
} from '../schemas.ts'
import { administer } from './audit.ts'

/** /admin/keys: the keys of the programs of the caller's account. */
export const keys: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'administration', tag: 'Administration', isUntranslated: true })
  const { database, clock } = context
  route('GET /keys', {
    summary: 'List keys',
    description: 'Those that expired are among them, revoked ones are not. The keys themselves are never shown.',
    reply: KeyList,
    answer: async asked => {
      const scope = { accountId: asked.accountId, isPresent: true } as const
      return { keys: (await listKeys(asked.reads, scope)).map(keyOf) }
    },
  })
  route('POST /keys', {
    summary: 'Create a key',
    description:
      'It works as long as you may administrate the account: when you are removed or lose the permission ' +
      '`administration`, it rests until another administrator takes it over.',
    body: NewKeyBody,
    reply: CreatedKey,
    isCreated: true,
    answer: async asked => {
      const { accountId, kind, id, name: makerName } = asked.caller
      const { permissions } = asked.body
      const name = readName(asked.body.name)
      if (name === undefined) throw badRequest(`name must have 1 to ${LONGEST_NAME} characters on one line.`)
      const expires = readExpiry(asked.body.expiresTimestamp ?? undefined, clock.wallMs())
      const created = await administer(asked, database, async transaction => {
        if (kind === 'key' && !(await mayMakeKeys(transaction, id)))
          throw new ClientError(403, 'A key that was made by a key can make none.')
        const result = await createKey(transaction, { accountId, name, permissions, expires, maker: { kind, id } })
        return { kind: 'key-created', details: { keyId: result.id, keyName: name }, result }
      })
      const maker = { kind, id, name: makerName }
      const key = keyOf({ ...created, name, permissions, maker, isResting: false })
      return { ...key, key: created.secret }
    },
  })
  route('POST /keys/:id/take-over', {
    operationId: 'takeOverKey',
    summary: 'Take a key over',
    description:
      'You are its maker from now on: it goes on when whoever made it is removed or loses the permission ' +
      '`administration`, and one that rests works again, within a second. For users.',
    params: IdPath,
    reply: Key,
    fails: [404],
    answer: async asked => {
      const keyId = readId(asked.params.id, 'key')
      const { accountId, kind, id: userId } = asked.caller
      const [known] = kind === 'user' ? [] : await listKeys(asked.reads, { accountId, id: keyId, isPresent: true })
      if (known) throw new ClientError(403, 'Only a user can take a key over.')
      const taken = await administer(asked, database, async transaction => {
        const result = orNotFound(await takeOverKey(transaction, { accountId, keyId, userId }), `The key ${keyId}`)
        return { kind: 'key-taken-over', details: { keyId, keyName: result.name }, result }
      })
      return keyOf(taken)
    },
  })
  route('DELETE /keys/:id', {
    summary: 'Revoke a key',
    description: 'Takes effect everywhere within a second.',
    params: IdPath,
    fails: [404],
    answer: async asked => {
      const keyId = readId(asked.params.id, 'key')
      await administer(asked, database, async transaction => {
        const [revoked] = await revokeKey(transaction, String(keyId), asked.accountId)
        const keyName = orNotFound(revoked, `The key ${keyId}`)
        return { kind: 'key-revoked', details: { keyId, keyName }, result: undefined }
      })
    },
  })
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
