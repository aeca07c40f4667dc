import { type TSchema, Type } from 'typebox'
import type { ItemKind } from '../../../derive/items/item-kind.ts'
import { deviceId, instant, nullable, revision, syncList } from '../../schemas.ts'
import { happeningListQuery } from '../happenings.ts'

export const ItemListQuery = happeningListQuery({
  begin: 'startTimestamp',
  deviceId: 'Only those of this device.',
  vehicleId: 'Only those of this vehicle.',
  includeDeleted: 'Also list deleted ones',
})

/** `{"<name>": […], "modifyTimestamp": …}` */
export function itemListSchema({ name, columns }: ItemKind): TSchema {
  const own = Object.fromEntries(Object.entries(columns).map(([field, { schema }]) => [field, schema]))
  const item = Type.Object({
    id: Type.String({ examples: ['99'] }),
    vehicleId: Type.String({ examples: ['VINWVWZZZ1KZAW000001'] }),
    deviceId,
    startTimestamp: instant('When it began.'),
    ...own,
    deleteTimestamp: nullable(instant('When it was deleted; null while it is there.')),
    modifyTimestamp: revision('When anything of it last changed.'),
  })
  return syncList(name, item)
}
