import type { DeviceId } from '../../model/sample.ts'
import { isIn } from '../../model/time-range.ts'
import { assignmentAt } from '../device-records.ts'
import type { ItemStretch } from '../fact.ts'
import type { FoldItem } from '../fold-part.ts'

/** Values of the fact's own columns, by field. */
type ItemValues = Readonly<Record<string, FoldItem[string]>>

/** A stored item that is not deleted. */
export interface StoredItem {
  readonly id: number
  readonly deviceId: DeviceId
  readonly accountId: number
  readonly vehicleId: number
  readonly startMs: number
  readonly values: ItemValues
}

export type NewItem = Omit<StoredItem, 'id'>

interface ItemChanges {
  readonly added: readonly NewItem[]
  readonly changed: readonly StoredItem[]
  readonly gone: readonly StoredItem[]
}

/**
 * Compares the stored items of a device with those that follow from its samples. An item that now belongs to another vehicle is a new
 * one, and the old one is gone: a client that syncs one vehicle must learn that it left (decisions.md, *Sync*).
 * @param fields of the fact's own columns
 */
export function itemChanges(
  { device, fromMs, toMs, items, goingOn }: ItemStretch,
  stored: readonly StoredItem[],
  fields: readonly string[],
): ItemChanges {
  const { deviceId } = device
  const folded = items.flatMap(({ item }) => {
    const assignment = assignmentAt(device, item.startMs)
    if (!assignment) return []
    const { accountId, vehicleId } = assignment
    const values = Object.fromEntries(fields.map(field => [field, item[field] ?? null]))
    return [{ deviceId, accountId, vehicleId, startMs: item.startMs, values }]
  })
  const before = stored.filter(
    row => row.deviceId === deviceId && isIn({ fromMs, toMs }, row.startMs) && !goingOn.includes(String(row.startMs)),
  )
  const rowOf = new Map(folded.map(item => [item, before.find(row => isSame(row, item))]))
  const kept = new Set(rowOf.values())
  return {
    added: folded.filter(item => !rowOf.get(item)),
    changed: folded.flatMap(item => {
      const row = rowOf.get(item)
      return row && fields.some(field => row.values[field] !== item.values[field]) ? [{ ...item, id: row.id }] : []
    }),
    gone: before.filter(row => !kept.has(row)),
  }
}

function isSame(row: StoredItem, item: NewItem): boolean {
  return row.startMs === item.startMs && row.vehicleId === item.vehicleId && row.accountId === item.accountId
}
