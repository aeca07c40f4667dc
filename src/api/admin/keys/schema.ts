import { type Static, Type } from 'typebox'
import { LONGEST_NAME } from '../../../model/texts.ts'
import { instant, nullable } from '../../schemas.ts'
import { permissionChoice, permissionList, timestampIn } from '../schemas.ts'

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
export const Key = Type.Object(fields, { title: 'Key', description: 'What a program sends with every request.' })
export type Key = Static<typeof Key>

export const KeyList = Type.Object({ keys: Type.Array(Key) }, { title: 'KeyList' })

/** A key that was just created, the only time that it is shown. */
export const CreatedKey = Type.Object(
  {
    ...fields,
    key: Type.String({ description: 'The key itself. It is not shown again.', examples: ['tacho_<SECRET>'] }),
  },
  { title: 'CreatedKey' },
)

export const NewKeyBody = Type.Object(
  {
    name,
    permissions: permissionChoice('What the key opens. An administrator may grant any permission of the list.'),
    expiresTimestamp: Type.Optional(nullable(timestampIn('When the key ends; never if null or absent.'))),
  },
  { title: 'NewKey', additionalProperties: false },
)
