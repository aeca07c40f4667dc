import { Type } from 'typebox'
import { EVENT_TYPES, UNITS } from '../../../catalogue/event-types.ts'
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

const EVENT_TYPE_ITEMS = EVENT_TYPES.map(({ name, dataType, unit, unitId }) => ({
  eventType: name,
  dataType,
  unit,
  unitId,
}))

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
    () => EVENT_TYPE_ITEMS,
  )
}

const UnitItem = Type.Object(
  {
    id: Type.Integer({ examples: [111] }),
    unitType: Type.String({ description: 'Empty for dimensionless values.', examples: ['km'] }),
  },
  { title: 'Unit' },
)

const UNIT_ITEMS = UNITS.map(({ id, unitType }) => ({ id, unitType }))

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
    () => UNIT_ITEMS,
  )
}
