import { type Static, type TSchema, Type } from 'typebox'
import type { ItemKind } from '../../../facts/items/item-kind.ts'
import {
  booleanParameter,
  cursorParameter,
  deviceIdParameter,
  filterTimestampParameter,
  idParameter,
  maxResultsParameter,
  rangeParameters,
} from '../../../server/http/parameters.ts'
import { deviceId, instant, nullable, revision } from '../../schemas.ts'

export const ItemListQuery = Type.Object({
  deviceId: Type.Optional(deviceIdParameter('Only those of this device.')),
  vehicleId: Type.Optional(idParameter('Only those of this vehicle.', ['VINWVWZZZ1KZAW000001'])),
  ...rangeParameters('startTimestamp'),
  filterTimestamp: Type.Optional(filterTimestampParameter()),
  includeDeleted: Type.Optional(booleanParameter('Also list deleted ones; with filterTimestamp they always are.')),
  maxResults: Type.Optional(maxResultsParameter()),
  cursor: Type.Optional(cursorParameter()),
})
export type ItemListQuery = Static<typeof ItemListQuery>

/** `{"<name>": […], "modifyTimestamp": …}` */
export function itemListSchema({ name, columns }: ItemKind): TSchema {
  const own = Object.fromEntries(Object.entries(columns).map(([field, { schema }]) => [field, schema]))
  return Type.Object({
    [name]: Type.Array(
      Type.Object({
        id: Type.String({ examples: ['99'] }),
        vehicleId: Type.String({ examples: ['VINWVWZZZ1KZAW000001'] }),
        deviceId,
        startTimestamp: instant('When it began.'),
        ...own,
        deleteTimestamp: nullable(instant('When it was deleted; null while it is there.')),
        modifyTimestamp: revision('When anything of it last changed.'),
      }),
    ),
    modifyTimestamp: revision('Use it as filterTimestamp of the next request to get what changed since.'),
  })
}
