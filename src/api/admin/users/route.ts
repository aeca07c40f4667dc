import { hashBehindGate, ofAccount } from '../../../access/gate.ts'
import {
  type ChangeUserOutcome,
  changeUser,
  createUser,
  listUsers,
  removeUser,
  type UserRecord,
} from '../../../access/users.ts'
import { isPermission } from '../../../catalogue/permissions.ts'
import { writeTransaction } from '../../../db/transaction.ts'
import { badRequest, notFound } from '../../../model/errors.ts'
import { callerOf } from '../../../server/http/access.ts'
import { millisecondText } from '../../../server/http/timestamps.ts'
import { requireGoodPassword } from '../../auth/refusals.ts'
import type { Resource } from '../../context.ts'
import { requestReads } from '../../request-reads.ts'
import { ErrorBody, errorReplies } from '../../schemas.ts'
import { audit, recordChange } from '../audit.ts'
import { changeReplies, IdPath, NoContent, readId } from '../schemas.ts'
import { NewUserBody, User, UserChangesBody, UserList } from './schema.ts'

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
          'The last user with the permission `administration` can not lose it.',
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
      if (kind === 'user' && id === userId) throw badRequest('You can not remove yourself; another administrator can.')
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
