import { revised, unnestOf, updateOf } from '../../db/bulk-rows.ts'
import { type Connection, sql } from '../../db/sql.ts'
import type { Transaction } from '../../db/transaction.ts'

/** The text that an operator's label replaces: of a code in a language, for one make or, if the make is empty, for all makes. */
export interface LabelKey {
  readonly code: string
  readonly language: 'en' | 'de'
  /** In any letter case. */
  readonly make: string
}

export interface DtcLabel extends LabelKey {
  readonly label: string
}

interface ImportCounts {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
}

/** Adds or replaces labels. Each key may occur once. */
export async function importLabels(transaction: Transaction, labels: readonly DtcLabel[]): Promise<ImportCounts> {
  const written = await transaction.rows<LabelKey & { readonly isNew: boolean }>(sql`
    with given as (
      select code, language, lower(make) as make, label
      from ${unnestOf({ code: 'text', language: 'text', make: 'text', label: 'text' }, labels)}
    ), before as (
      select l.code, l.language, l.make from dtc_labels l join given using (code, language, make)
    ), written as (
      insert into dtc_labels as l (code, language, make, label) select code, language, make, label from given
      on conflict (code, language, make) do update set label = excluded.label where l.label <> excluded.label
      returning l.code, l.language, l.make
    )
    select w.code, w.language, w.make, b.code is null as "isNew"
    from written w left join before b using (code, language, make)`)
  await reviseShowing(transaction, written)
  const added = written.filter(({ isNew }) => isNew).length
  return { added, changed: written.length - added, unchanged: labels.length - written.length }
}

/** All labels, by code, language and make. */
export function listLabels(connection: Connection): Promise<DtcLabel[]> {
  return connection.rows<DtcLabel>(
    sql`select code, language, make, label from dtc_labels order by code, language, make`,
  )
}

/** Removes a label. @returns whether it existed. */
export async function removeLabel(transaction: Transaction, { code, language, make }: LabelKey): Promise<boolean> {
  const removed = await transaction.rows<LabelKey>(sql`
    delete from dtc_labels where code = ${code} and language = ${language} and make = lower(${make})
    returning code, language, make`)
  await reviseShowing(transaction, removed)
  return removed.length > 0
}

/** A label is part of a code as clients see it, so a new one changes the code (decisions.md, *Sync*). */
async function reviseShowing(transaction: Transaction, keys: readonly LabelKey[]): Promise<void> {
  if (keys.length === 0) return
  // Otherwise a code that another transaction adds meanwhile would keep the old label for clients that sync.
  await transaction.rows(sql`lock table dtcs in share row exclusive mode`)
  const shown = await transaction.rows<{ device_id: number; id: number }>(sql`
    select d.device_id, d.id from dtcs d join vehicles v on v.id = d.vehicle_id
    where exists (
      select from ${unnestOf({ code: 'text', language: 'text', make: 'text' }, keys)}
      where u.code = d.code and (u.make = lower(v.make) or (u.make = '' and not exists (
        select from dtc_labels l where l.code = u.code and l.language = u.language and l.make = lower(v.make)))))`)
  if (shown.length === 0) return
  await transaction.rows(updateOf('dtcs', ['device_id', 'id'], await revised(transaction, shown)))
}
