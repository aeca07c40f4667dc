import { Type } from 'typebox'
import { EVENT_TYPES } from '../../../catalogue/event-types.ts'
import type { Resource } from '../../context.ts'
import { errorReplies, languageHeader } from '../../schemas.ts'

const EventTypeItem = Type.Object(
  {
    eventType: Type.String({ examples: ['MILEAGE'] }),
    dataType: Type.Enum(['STRING', 'BOOLEAN', 'NUMBER', 'GEO']),
    unit: Type.String({ description: 'Empty where the type is not a NUMBER.', examples: ['km'] }),
    unitId: Type.Integer({ examples: [111] }),
  },
  { title: 'EventType' },
)

const items = EVENT_TYPES.map(({ name, dataType, unit, unitId }) => ({ eventType: name, dataType, unit, unitId }))

/** GET /eventTypes: every event type that measurements can have. */
export const eventTypes: Resource = server => {
  server.get(
    '/eventTypes',
    {
      config: { access: 'any', etag: true },
      schema: {
        tags: ['Catalogue'],
        summary: 'List event types',
        headers: languageHeader,
        response: { 200: Type.Array(EventTypeItem), ...errorReplies },
      },
    },
    () => items,
  )
}
