import { Type } from 'typebox'
import { UNITS } from '../../../catalogue/event-types.ts'
import type { Resource } from '../../context.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'

const UnitItem = Type.Object(
  {
    id: Type.Integer({ examples: [111] }),
    unitType: Type.String({ description: 'Empty for dimensionless values.', examples: ['km'] }),
  },
  { title: 'Unit' },
)

const items = UNITS.map(({ id, unitType }) => ({ id, unitType }))

/** GET /units: every unit that measurements can have. */
export const units: Resource = server => {
  server.get(
    '/units',
    {
      config: { access: 'any', etag: true },
      schema: {
        tags: ['Catalogue'],
        summary: 'List units',
        headers: languageHeader,
        response: { 200: Type.Array(UnitItem), ...errorReplies },
      },
    },
    () => items,
  )
}
