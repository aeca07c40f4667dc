import { type Static, Type } from 'typebox'
import { SHORTEST_PASSWORD } from '../../../access/passwords.ts'
import { LONGEST_EMAIL } from '../../../access/users.ts'
import { checkedByRoute } from '../../openapi-components.ts'
import { instant, nullable } from '../../schemas.ts'
import { permissionChoice, permissionList } from '../schemas.ts'

const email = (keywords: { readonly maxLength?: number } = {}) =>
  Type.String({
    description: 'E-mail address, with which the user logs in.',
    examples: ['operator@example.com'],
    ...keywords,
  })

/** A user as administrators see it. */
export const User = Type.Object(
  {
    id: Type.String({ description: 'Id of the user.', examples: ['7'] }),
    email: email(),
    permissions: permissionList('What the user may see and do.'),
    createdTimestamp: instant('When the user was created.'),
    lastLoginTimestamp: nullable(instant('When the user last logged in with the password; null while that never was.')),
  },
  { title: 'User', description: 'Somebody who logs in with e-mail address and password.' },
)
export type User = Static<typeof User>

export const UserList = Type.Object({ users: Type.Array(User) }, { title: 'UserList' })

export const password = Type.String({
  format: 'password',
  minLength: SHORTEST_PASSWORD,
  maxLength: 1000,
  description:
    'The password, with at least 12 characters, neither common nor made of the e-mail address. It is stored as a hash ' +
    'and never shown.',
  examples: ['<NEW PASSWORD>'],
})
const ANY_OF_THE_LIST = 'What the user may see and do. An administrator may grant any permission of the list.'

export const NewUserBody = Type.Object(
  {
    email: email({ maxLength: LONGEST_EMAIL, ...checkedByRoute({ pattern: '^[^\\s@]+@[^\\s@]+$' }) }),
    password,
    permissions: permissionChoice(ANY_OF_THE_LIST),
  },
  { title: 'NewUser', additionalProperties: false },
)

export const UserChangesBody = Type.Object(
  { password: Type.Optional(password), permissions: Type.Optional(permissionChoice(ANY_OF_THE_LIST)) },
  {
    title: 'UserChanges',
    description: 'What is absent stays as it is.',
    additionalProperties: false,
    minProperties: 1,
  },
)
