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
import { badRequest, notFound } from '../../model/errors.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import { passwordSchema, requireGoodPassword } from '../auth/session.ts'
import { type Resource, routesOf } from '../context.ts'
import { checkedByRoute, IdPath, instant, nullable, permissionChoice, permissionList, readId } from '../schemas.ts'
import { administer } from './audit.ts'

/** /admin/users: who may log in to the caller's account. */
export const users: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'administration', tag: 'Administration', isUntranslated: true })
  const { database } = context
  route('GET /users', {
    summary: 'List users',
    reply: UserList,
    answer: async asked => {
      const scope = { accountId: asked.accountId, isPresent: true } as const
      return { users: (await listUsers(asked.reads, scope)).map(userOf) }
    },
  })
  route('POST /users', {
    summary: 'Let somebody log in',
    description: 'An e-mail address belongs to one user of the whole service.',
    body: NewUserBody,
    reply: User,
    isCreated: true,
    answer: async asked => {
      const { accountId } = asked
      const { email, password, permissions } = asked.body
      await requireGoodPassword(password, email)
      const passwordHash = await hashBehindGate(password, ofAccount(accountId))
      const { id, created } = await administer(asked, database, async transaction => {
        const result = await createUser(transaction, { accountId, email, passwordHash, permissions })
        if (result.kind === 'refused') throw badRequest(`email: ${result.text}`)
        return { kind: 'user-created', details: { userId: result.id, email }, result }
      })
      return userOf({ id, email, permissions, created, lastLogin: null })
    },
  })
  route('PATCH /users/:id', {
    summary: 'Change the password or the permissions of a user',
    description:
      'Takes effect everywhere within a second. A new password ends all logins of the user, also if that is you. ' +
      'The last user with the permission `administration` cannot lose it.',
    params: IdPath,
    body: UserChangesBody,
    reply: User,
    fails: [404],
    answer: async asked => {
      const { accountId } = asked
      const userId = readId(asked.params.id, 'user')
      const { password, permissions } = asked.body
      const [known] = await listUsers(asked.reads, { accountId, id: userId, isPresent: true })
      if (password !== undefined && known) await requireGoodPassword(password, known.email)
      const passwordHash = password && (await hashBehindGate(password, ofAccount(accountId)))
      const isNewPassword = password !== undefined
      const user = await administer(asked, database, async transaction => {
        const outcome = await changeUser(transaction, { accountId, userId }, { passwordHash, permissions })
        const result = userIn(outcome, userId)
        const details = { userId, email: result.email, isNewPassword, ...(permissions && { permissions }) }
        return { kind: 'user-changed', details, result }
      })
      return userOf(user)
    },
  })
  route('DELETE /users/:id', {
    summary: 'Remove a user',
    description:
      'Ends all logins of the user, everywhere within a second. Nobody removes oneself, nor the last user with the ' +
      'permission `administration`.',
    params: IdPath,
    fails: [404],
    answer: async asked => {
      const { accountId, kind, id } = asked.caller
      const userId = readId(asked.params.id, 'user')
      if (kind === 'user' && id === userId) throw badRequest('You cannot remove yourself; another administrator can.')
      await administer(asked, database, async transaction => {
        const result = userIn(await removeUser(transaction, { accountId, userId }), userId)
        return { kind: 'user-removed', details: { userId, email: result.email }, result }
      })
    },
  })
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
