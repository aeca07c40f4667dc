import { insertOf, revised } from '../../db/bulk-rows.ts'
import { readClockMs } from '../../db/clock.ts'
import { allOf, sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'
import { instantMs } from '../../db/values.ts'
import { noteAreaChange } from '../../derive/incidents/rule-changes.ts'
import type { DrawnArea } from '../../model/areas/shape.ts'
import { ClientError, notFound } from '../../model/errors.ts'

/** An area as it shall be. */
export interface WantedArea extends DrawnArea {
  /** From when on the shape holds, as text that the database reads; undefined for the usual. */
  readonly validFrom: string | undefined
}

interface Owner {
  readonly accountId: number
}

interface AreaKey extends Owner {
  readonly areaId: number
}

/** `now()` is when the transaction began, some time before the clock is read. */
const CLOCK_SPARE_MS = 60_000
/** As many as one statement sends well. */
const ROWS_AT_ONCE = 1000

/** Adds areas, all or none. They hold for all the past, unless `validFrom` says otherwise.
 * @returns the ids, in the order of the areas @throws ClientError 403 when the account would have more than `most` */
export async function createAreas(
  transaction: Transaction,
  { accountId }: Owner,
  areas: readonly WantedArea[],
  most: number,
): Promise<number[]> {
  await requireRoom(transaction, accountId, areas.length, most)
  const ids: number[] = []
  for (let at = 0; at < areas.length; at += ROWS_AT_ONCE) {
    const some = areas.slice(at, at + ROWS_AT_ONCE)
    const rows = some.map(({ name, kind, color }) => ({ account_id: accountId, name, kind, color, version: 1 }))
    const added = await transaction.rows<{ id: number }>(
      sql`with added as (${insertOf('areas', await revised(transaction, rows), sql`returning id, modified`)})
        select id from added order by modified`,
    )
    const versions = added.map(({ id }, index) => ({
      area_id: id,
      version: 1,
      valid_from: some[index]?.validFrom ?? '-infinity',
      shape: JSON.stringify(some[index]?.shape),
    }))
    await transaction.rows(insertOf('area_versions', versions))
    ids.push(...added.map(({ id }) => id))
  }
  const fromMs = Math.min(
    ...areas.map(({ validFrom }) => (validFrom === undefined ? Number.NEGATIVE_INFINITY : instantMs(validFrom))),
  )
  await noteAreaChange(transaction, { accountId, areaIds: ids, fromMs })
  return ids
}

async function requireRoom(transaction: Transaction, accountId: number, more: number, most: number): Promise<void> {
  // Others that add areas to the account wait; who only refers to it does not.
  await transaction.rows(sql`select from accounts where id = ${accountId} for no key update`)
  const [row] = await transaction.rows<{ count: number }>(
    sql`select count(*) as count from areas where account_id = ${accountId} and deleted is null`,
  )
  const count = row?.count ?? 0
  if (count + more <= most) return
  throw new ClientError(403, `The account has ${count} areas; with ${more} more there would be more than ${most}.`)
}

/** Changes an area. A new shape is a new version from `validFrom` on, else from now on; before that, the old one holds.
 * Without a change there is no new revision. @throws ClientError 404 when the account has no such area */
export async function changeArea(transaction: Transaction, key: AreaKey, area: WantedArea): Promise<void> {
  const { name, kind, color, shape, validFrom } = area
  const before = await lockArea(transaction, key)
  const [drawn] = await transaction.rows<{ isSame: boolean }>(sql`
    select shape = ${JSON.stringify(shape)}::jsonb and ${
      validFrom === undefined ? sql`true` : sql`valid_from = ${validFrom}::timestamptz`
    } as "isSame"
    from area_versions where area_id = ${key.areaId} and version = ${before.version}`)
  const isSame = drawn?.isSame ?? false
  if (isSame && before.name === name && before.kind === kind && before.color === color) return
  const version = before.version + (isSame ? 0 : 1)
  if (!isSame) {
    await transaction.rows(sql`
      insert into area_versions (area_id, version, valid_from, shape)
      values (${key.areaId}, ${version}, ${validFrom === undefined ? sql`now()` : sql`${validFrom}::timestamptz`},
        ${JSON.stringify(shape)}::jsonb)`)
    const fromMs = validFrom === undefined ? await readClockMs(transaction) : instantMs(validFrom)
    await noteAreaChange(transaction, {
      accountId: key.accountId,
      areaIds: [key.areaId],
      fromMs: fromMs - CLOCK_SPARE_MS,
    })
  }
  await transaction.rows(sql`
    update areas set name = ${name}, kind = ${kind}, color = ${color}, version = ${version},
      modified = ${await transaction.takeRevisions(1)}::timestamptz
    where id = ${key.areaId}`)
}

/** Deletes an area from now on. Its row and its versions stay, for sync and for the past.
 * @throws ClientError 404 when the account has no such area */
export async function deleteArea(transaction: Transaction, key: AreaKey): Promise<void> {
  await lockArea(transaction, key)
  await transaction.rows(sql`
    update areas set deleted = now(), modified = ${await transaction.takeRevisions(1)}::timestamptz
    where id = ${key.areaId}`)
  const fromMs = (await readClockMs(transaction)) - CLOCK_SPARE_MS
  await noteAreaChange(transaction, { accountId: key.accountId, areaIds: [key.areaId], fromMs })
}

interface AreaRow {
  readonly name: string
  readonly kind: string
  readonly color: string
  readonly version: number
}

async function lockArea(transaction: Transaction, { accountId, areaId }: AreaKey): Promise<AreaRow> {
  const [row] = await transaction.rows<AreaRow>(sql`
    select name, kind, color, version from areas
    where ${allOf([sql`id = ${areaId}`, sql`account_id = ${accountId}`, sql`deleted is null`])} for update`)
  if (!row) throw notFound(`The area ${areaId}`)
  return row
}
