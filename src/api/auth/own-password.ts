import { Type } from 'typebox'
import { changeOwnPassword } from '../../access/login.ts'
import { badRequest } from '../../model/errors.ts'
import { callerOf, tokenOf } from '../../server/http/access.ts'
import { clientNetwork } from '../../server/http/connections.ts'
import { changeReplies, NoContent } from '../admin/schemas.ts'
import { password } from '../admin/users/schema.ts'
import type { Resource } from '../context.ts'
import { requireGoodPassword, tooManyGuesses } from './refusals.ts'

/** POST /auth/password: users change their own password. */
export const ownPassword: Resource = (server, { database }) => {
  server.post(
    '/auth/password',
    {
      config: { access: 'user' },
      schema: {
        tags: ['Authentication'],
        operationId: 'changePassword',
        summary: 'Change the own password',
        description:
          'Beyond the original document. All other logins of the user end within a second; the one that ' +
          'asks, and the keys that the user has made, go on. A wrong current password counts like a failed login.',
        body: OwnPasswordBody,
        response: { 204: NoContent, ...changeReplies },
      },
    },
    async (request, reply) => {
      const { id: userId, accountId, name: email } = callerOf(request)
      const { currentPassword, newPassword } = request.body
      await requireGoodPassword(newPassword, email, 'newPassword')
      const outcome = await changeOwnPassword(database, {
        accountId,
        userId,
        currentPassword,
        newPassword,
        token: tokenOf(request) ?? '',
        network: clientNetwork(request.ip),
        address: request.ip,
      })
      if (outcome.kind === 'slowed') throw tooManyGuesses(outcome.waitS)
      if (outcome.kind === 'refused') throw badRequest('currentPassword is wrong.')
      return reply.code(204).send(null)
    },
  )
}

const OwnPasswordBody = Type.Object(
  {
    currentPassword: Type.String({
      format: 'password',
      maxLength: 1000,
      description: 'The password as it is now.',
      examples: ['<PASSWORD>'],
    }),
    newPassword: password,
  },
  { title: 'OwnPassword', additionalProperties: false },
)
