import { revised, unnestOf } from '../../db/bulk-rows.ts'
import type { LockedDevices } from '../../db/shards/locked-devices.ts'
import { listOf, type Statement, sql, verbatim } from '../../db/sql.ts'
import { instantMs } from '../../db/values.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { ItemStretch } from '../fact.ts'
import type { FoldItem } from '../fold-part.ts'
import { itemChanges, type NewItem, type StoredItem } from './item-changes.ts'
import type { ItemKind } from './item-kind.ts'

/** Replaces the items in ranges of time. Writes only differences, each row with its own revision. */
export async function writeItems(
  locked: LockedDevices,
  kind: ItemKind,
  stretches: readonly ItemStretch[],
): Promise<void> {
  if (stretches.length === 0) return
  const stored = await readItems(locked, kind, stretches)
  const changes = stretches.map(stretch => itemChanges(stretch, stored, Object.keys(kind.columns)))
  await retractItems(
    locked,
    kind,
    changes.flatMap(({ gone }) => gone),
  )
  await changeItems(
    locked,
    kind,
    changes.flatMap(({ changed }) => changed),
  )
  await addItems(
    locked,
    kind,
    changes.flatMap(({ added }) => added),
  )
}

/** Inserts items; the device must have none at their starts. */
export async function addItems(locked: LockedDevices, kind: ItemKind, items: readonly NewItem[]): Promise<void> {
  if (items.length === 0) return
  const transaction = locked.transactionFor(items)
  const { names, types, valuesOf } = ownColumns(kind)
  const rows = items.map(item => ({
    device_id: item.deviceId,
    account_id: item.accountId,
    vehicle_id: item.vehicleId,
    start_time: item.startMs,
    ...valuesOf(item),
  }))
  const columns = {
    device_id: 'bigint',
    account_id: 'integer',
    vehicle_id: 'bigint',
    start_time: 'timestamptz',
  } as const
  const all = listOf([...Object.keys(columns), ...names, 'modified'].map(verbatim))
  await transaction.rows(sql`
    insert into ${verbatim(kind.name)} (${all})
    select ${all} from ${unnestOf({ ...columns, ...types, modified: 'timestamptz' }, await revised(transaction, rows))}`)
}

/** Marks items as deleted. */
export async function retractItems(
  locked: LockedDevices,
  kind: ItemKind,
  items: readonly Pick<StoredItem, 'deviceId' | 'id'>[],
): Promise<void> {
  await updateItems(locked, kind, items, {}, sql`deleted = clock_timestamp()`)
}

async function changeItems(locked: LockedDevices, kind: ItemKind, items: readonly StoredItem[]): Promise<void> {
  const { names, types, valuesOf } = ownColumns(kind)
  const set = listOf(names.map(name => sql`${verbatim(name)} = ${verbatim(`u.${name}`)}`))
  await updateItems(
    locked,
    kind,
    items.map(item => ({ ...item, own: valuesOf(item) })),
    types,
    set,
  )
}

async function updateItems(
  locked: LockedDevices,
  kind: ItemKind,
  items: readonly (Pick<StoredItem, 'deviceId' | 'id'> & { readonly own?: ReturnType<OwnColumns['valuesOf']> })[],
  types: OwnColumns['types'],
  set: Statement,
): Promise<void> {
  if (items.length === 0) return
  const transaction = locked.transactionFor(items)
  const rows = items.map(({ deviceId, id, own }) => ({ device_id: deviceId, id, ...own }))
  await transaction.rows(sql`
    update ${verbatim(kind.name)} item set ${set}, modified = u.modified
    from ${unnestOf({ device_id: 'bigint', id: 'bigint', ...types, modified: 'timestamptz' }, await revised(transaction, rows))}
    where item.device_id = u.device_id and item.id = u.id`)
}

/** Reads the items that are not deleted. */
export async function readItems(
  locked: LockedDevices,
  kind: ItemKind,
  stretches: readonly (Pick<ItemStretch, 'fromMs' | 'toMs'> & {
    readonly device: Pick<ItemStretch['device'], 'deviceId'>
  })[],
): Promise<StoredItem[]> {
  const { names } = ownColumns(kind)
  const rows = await locked.transaction.rows<ItemRow>(sql`
    select item.id, item.device_id, item.account_id, item.vehicle_id, item.start_time,
      ${listOf(names.map(name => verbatim(`item.${name}`)))}
    from ${unnestOf(
      { device_id: 'bigint', from_time: 'timestamptz', to_time: 'timestamptz' },
      stretches.map(({ device: { deviceId }, fromMs, toMs }) => ({
        device_id: deviceId,
        from_time: fromMs,
        to_time: toMs,
      })),
    )}
    join ${verbatim(kind.name)} item on item.device_id = u.device_id
      and item.start_time >= u.from_time and item.start_time < u.to_time
    where item.deleted is null`)
  return rows.map(row => ({
    id: row.id,
    deviceId: row.device_id,
    accountId: row.account_id,
    vehicleId: row.vehicle_id,
    startMs: instantMs(row.start_time),
    values: Object.fromEntries(Object.entries(kind.columns).map(([field, { name }]) => [field, row[name] ?? null])),
  }))
}

interface OwnColumns {
  readonly names: readonly string[]
  readonly types: Readonly<Record<string, `${ItemKind['columns'][string]['type']}?`>>
  readonly valuesOf: (item: Pick<NewItem, 'values'>) => Readonly<Record<string, FoldItem[string]>>
}

function ownColumns({ columns }: ItemKind): OwnColumns {
  const own = Object.entries(columns)
  return {
    names: own.map(([, { name }]) => name),
    types: Object.fromEntries(own.map(([, { name, type }]) => [name, `${type}?` as const])),
    valuesOf: ({ values }) => Object.fromEntries(own.map(([field, { name }]) => [name, values[field] ?? null])),
  }
}

type ItemRow = {
  readonly id: number
  readonly device_id: DeviceId
  readonly account_id: number
  readonly vehicle_id: number
  readonly start_time: string
} & { readonly [own: string]: FoldItem[string] }
