import { Type } from 'typebox'
import { readAccount } from '../../access/accounts.ts'
import { changeOwnPassword } from '../../access/login.ts'
import { passwordFault, SHORTEST_PASSWORD } from '../../access/passwords.ts'
import { badRequest, ClientError } from '../../model/errors.ts'
import { tokenOf } from '../../server/http/access.ts'
import { clientNetwork } from '../../server/http/connections.ts'
import { millisecondText } from '../../server/http/timestamps.ts'
import { type Resource, routesOf } from '../context.ts'
import { instant, nullable, permissionList } from '../schemas.ts'

/** GET /auth/session: who is calling, and what may be asked for with this token. */
export const session: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'any', tag: 'Authentication', isUntranslated: true })
  route('GET /auth/session', {
    operationId: 'getSession',
    summary: 'See whom a token belongs to',
    description: 'Beyond the original document.',
    reply: Session,
    answer: async asked => {
      const { kind, name, accountId, permissions, expires } = asked.caller
      const account = await readAccount(asked.reads, accountId)
      return {
        kind,
        name,
        account: { id: String(account.id), name: account.name },
        permissions: [...permissions],
        expiresTimestamp: expires === null ? null : millisecondText(expires),
      }
    },
  })
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

/** POST /auth/password: users change their own password. */
export const ownPassword: Resource = (server, context) => {
  const route = routesOf(server, context, { access: 'user', tag: 'Authentication', isUntranslated: true })
  const { database } = context
  route('POST /auth/password', {
    operationId: 'changePassword',
    summary: 'Change the own password',
    description:
      'Beyond the original document. All other logins of the user end within a second; the one that ' +
      'asks, and the keys that the user has made, go on. A wrong current password counts like a failed login.',
    body: OwnPasswordBody,
    answer: async asked => {
      const { id: userId, accountId, name: email } = asked.caller
      const { currentPassword, newPassword } = asked.body
      await requireGoodPassword(newPassword, email, 'newPassword')
      const outcome = await changeOwnPassword(database, {
        accountId,
        userId,
        currentPassword,
        newPassword,
        token: tokenOf(asked.request) ?? '',
        network: clientNetwork(asked.request.ip),
        address: asked.request.ip,
      })
      if (outcome.kind === 'slowed') throw tooManyGuesses(outcome.waitS)
      if (outcome.kind === 'refused') throw badRequest('currentPassword is wrong.')
    },
  })
}

export const passwordSchema = Type.String({
  format: 'password',
  minLength: SHORTEST_PASSWORD,
  maxLength: 1000,
  description:
    'The password, with at least 12 characters, neither common nor made of the e-mail address. It is stored as a hash ' +
    'and never shown.',
  examples: ['<NEW PASSWORD>'],
})

const OwnPasswordBody = Type.Object(
  {
    currentPassword: Type.String({
      format: 'password',
      maxLength: 1000,
      description: 'The password as it is now.',
      examples: ['<PASSWORD>'],
    }),
    newPassword: passwordSchema,
  },
  { title: 'OwnPassword', additionalProperties: false },
)

/** @param field what the password is called in the request. @throws ClientError 400 naming the field. */
export async function requireGoodPassword(password: string, email: string, field = 'password'): Promise<void> {
  const fault = await passwordFault(password, email)
  if (fault !== undefined) throw badRequest(`${field} ${fault}.`)
}

/** The client must retry later. We do not make it wait: an open connection costs us more than it costs an attacker. */
export function tooManyGuesses(waitS: number): ClientError {
  const retryAfterS = Math.ceil(waitS)
  return new ClientError(429, `Too many failed logins: try again in ${retryAfterS} s.`, {
    headers: { 'retry-after': String(retryAfterS) },
  })
}
