import { listOf, sql, verbatim } from '../../db/sql.ts'
import { vehicleName } from '../derived-rows.ts'
import { emptyRows } from '../empty-rows.ts'
import type { Fact } from '../fact.ts'
import type { ItemKind } from './item-kind.ts'
import { moveItems } from './move-items.ts'
import { writeItems } from './write-items.ts'

const EMPTY = { bigint: '0', boolean: 'false', float8: '0', integer: '0', text: "''" } as const

/** Makes a fact of items: one implementation stores, moves, compares and erases them, and the API lists, syncs and streams them. */
export function itemFact(kind: ItemKind): Fact {
  const { name, part } = kind
  return {
    name,
    inOrder: { part: () => part, write: (held, stretches) => writeItems(held, kind, stretches) },
    move: (held, move) => moveItems(held, kind, move),
    async erase(held) {
      const own = Object.values(kind.columns).map(column => verbatim(`${column.name} = ${EMPTY[column.type]}`))
      const nothing = listOf([...own, sql`start_time = clock.now`, sql`deleted = clock.now`])
      await emptyRows(held, verbatim(name), nothing)
    },
    readDerived: (transaction, deviceId) =>
      transaction.rows(sql`
        select ${`${name} `} || item.start_time as name,
          to_jsonb(item) - array['id', 'modified', 'vehicle_id'] || jsonb_build_object('vehicle', ${vehicleName(deviceId)}) as fields
        from ${verbatim(name)} item join vehicles v on v.id = item.vehicle_id
        where item.device_id = ${deviceId} and item.deleted is null`),
    items: kind,
  }
}
