import { type Static, Type } from 'typebox'
import { hashBehindGate, ofAccount } from '../../access/gate.ts'
import {
  type ChangeUserOutcome,
  changeUser,
  createUser,
  LONGEST_EMAIL,
  listUsers,
  removeUser,
  type UserRecord,
} from '../../access/users.ts'
import { isPermission } from '../../catalogue/permissions.ts'
import { writeTransaction } from '../../db/transaction.ts'
import { badRequest, notFound } from '../../model/errors.ts'
import { callerOf } from '../../server/http/access.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import { passwordSchema, requireGoodPassword } from '../auth/session.ts'
import type { Resource } from '../context.ts'
import { requestReads } from '../request-reads.ts'
import {
  changeReplies,
  checkedByRoute,
  ErrorBody,
  errorReplies,
  IdPath,
  instant,
  NoContent,
  nullable,
  permissionChoice,
  permissionList,
  readId,
} from '../schemas.ts'
import { audit, recordChange } from './audit.ts'

/** /admin/users: who may log in to the caller's account. */
export const users: Resource = (server, { database }) => {
  const settings = { access: 'administration' } as const
  const tags = ['Administration']
  server.get(
    '/users',
    {
      config: settings,
      schema: { tags, summary: 'List users', response: { 200: UserList, ...errorReplies } },
    },
    async (request, reply) => {
      const scope = { accountId: callerOf(request).accountId, isPresent: true } as const
      return { users: (await listUsers(requestReads(database, request, reply), scope)).map(userOf) }
    },
  )
  server.post(
    '/users',
    {
      config: settings,
      schema: {
        tags,
        summary: 'Let somebody log in',
        description: 'An e-mail address belongs to one user of the whole service.',
        body: NewUserBody,
        response: { 201: User, ...changeReplies },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request)
      const { email, password, permissions } = request.body
      await requireGoodPassword(password, email)
      const passwordHash = await hashBehindGate(password, ofAccount(accountId))
      const { id, created } = await writeTransaction(database, async transaction => {
        const outcome = await createUser(transaction, { accountId, email, passwordHash, permissions })
        if (outcome.kind === 'refused') throw badRequest(`email: ${outcome.text}`)
        await recordChange(transaction, request, { action: 'user created', userId: outcome.id, email })
        return outcome
      })
      audit(request, { action: 'user created', userId: id, email })
      return reply.code(201).send(userOf({ id, email, permissions, created, lastLogin: null }))
    },
  )
  server.patch(
    '/users/:id',
    {
      config: settings,
      schema: {
        tags,
        summary: 'Change the password or the permissions of a user',
        description:
          'Takes effect everywhere within a second. A new password ends all logins of the user, also if that is you. ' +
          'The last user with the permission `administration` cannot lose it.',
        params: IdPath,
        body: UserChangesBody,
        response: { 200: User, ...changeReplies, 404: ErrorBody },
      },
    },
    async request => {
      const { accountId } = callerOf(request)
      const userId = readId(request.params.id, 'user')
      const { password, permissions } = request.body
      const [known] = await listUsers(database.readsOf(accountId), { accountId, id: userId, isPresent: true })
      if (password !== undefined && known) await requireGoodPassword(password, known.email)
      const passwordHash = password && (await hashBehindGate(password, ofAccount(accountId)))
      const isNewPassword = password !== undefined
      const changeOf = ({ email }: UserRecord) =>
        ({ action: 'user changed', userId, email, isNewPassword, permissions }) as const
      const user = await writeTransaction(database, async transaction => {
        const outcome = await changeUser(transaction, { accountId, userId }, { passwordHash, permissions })
        const changed = userIn(outcome, userId)
        await recordChange(transaction, request, changeOf(changed))
        return changed
      })
      audit(request, changeOf(user))
      return userOf(user)
    },
  )
  server.delete(
    '/users/:id',
    {
      config: settings,
      schema: {
        tags,
        summary: 'Remove a user',
        description:
          'Ends all logins of the user, everywhere within a second. Nobody removes oneself, nor the last user with the ' +
          'permission `administration`.',
        params: IdPath,
        response: { 204: NoContent, ...errorReplies, 404: ErrorBody },
      },
    },
    async (request, reply) => {
      const { accountId, kind, id } = callerOf(request)
      const userId = readId(request.params.id, 'user')
      if (kind === 'user' && id === userId) throw badRequest('You cannot remove yourself; another administrator can.')
      const { email } = await writeTransaction(database, async transaction => {
        const removed = userIn(await removeUser(transaction, { accountId, userId }), userId)
        await recordChange(transaction, request, { action: 'user removed', userId, email: removed.email })
        return removed
      })
      audit(request, { action: 'user removed', userId, email })
      return reply.code(204).send(null)
    },
  )
}

function userOf({ id, email, permissions, created, lastLogin }: Omit<UserRecord, 'accountName' | 'revoked'>): User {
  return {
    id: String(id),
    email,
    permissions: permissions.filter(isPermission),
    createdTimestamp: millisecondText(created),
    lastLoginTimestamp: lastLogin === null ? null : millisecondText(lastLogin),
  }
}

/** @throws ClientError when no user was changed. */
function userIn(outcome: ChangeUserOutcome, userId: number): UserRecord {
  if (outcome.kind === 'unknown') throw notFound(`The user ${userId}`)
  if (outcome.kind === 'refused') throw badRequest(outcome.text)
  return outcome.user
}

const email = (keywords: { readonly maxLength?: number } = {}) =>
  Type.String({
    description: 'E-mail address, with which the user logs in.',
    examples: ['operator@example.com'],
    ...keywords,
  })

/** A user as administrators see it. */
const User = Type.Object(
  {
    id: Type.String({ description: 'Id of the user.', examples: ['7'] }),
    email: email(),
    permissions: permissionList('What the user may see and do.'),
    createdTimestamp: instant('When the user was created.'),
    lastLoginTimestamp: nullable(instant('When the user last logged in with the password; null while that never was.')),
  },
  { title: 'User', description: 'Somebody who logs in with e-mail address and password.' },
)
type User = Static<typeof User>

const UserList = Type.Object({ users: Type.Array(User) }, { title: 'UserList' })

const ANY_OF_THE_LIST = 'What the user may see and do. An administrator may grant any permission of the list.'

const NewUserBody = Type.Object(
  {
    email: email({ maxLength: LONGEST_EMAIL, ...checkedByRoute({ pattern: '^[^\\s@]+@[^\\s@]+$' }) }),
    password: passwordSchema,
    permissions: permissionChoice(ANY_OF_THE_LIST),
  },
  { title: 'NewUser', additionalProperties: false },
)

const UserChangesBody = Type.Object(
  { password: Type.Optional(passwordSchema), permissions: Type.Optional(permissionChoice(ANY_OF_THE_LIST)) },
  {
    title: 'UserChanges',
    description: 'What is absent stays as it is.',
    additionalProperties: false,
    minProperties: 1,
  },
)
