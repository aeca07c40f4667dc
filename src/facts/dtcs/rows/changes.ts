import { revisionAfter } from '../../../db/revisions.ts'
import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { IntervalChanges, StoredInterval } from '../derive/difference.ts'
import type { CodeInterval } from '../derive/intervals.ts'
import type { CodePlace } from './rows.ts'

/** What changes of the codes of one place. */
export type PlaceChanges = CodePlace & IntervalChanges

/** Writes what changed; every row gets a revision of its own. The caller holds the shards of the devices. */
export async function writeIntervalChanges(transaction: Transaction, changes: readonly PlaceChanges[]): Promise<void> {
  const added = changes.flatMap(place => place.added.map(interval => ({ place, interval })))
  const changed = changes.flatMap(place => place.changed.map(interval => ({ place, interval })))
  const retracted = changes.flatMap(place => place.retracted.map(interval => ({ place, interval })))
  const count = added.length + changed.length + retracted.length
  if (count === 0) return
  const first = await transaction.takeRevisions(count)
  let taken = 0
  const revisionsFor = (rows: readonly unknown[]) => rows.map(() => revisionAfter(first, taken++))
  if (added.length > 0) await insertIntervals(transaction, added, revisionsFor(added))
  if (changed.length > 0) await updateIntervals(transaction, changed, revisionsFor(changed))
  if (retracted.length > 0) await retractRows(transaction, retracted, revisionsFor(retracted))
}

interface Placed<Interval> {
  readonly place: CodePlace
  readonly interval: Interval
}

async function insertIntervals(
  transaction: Transaction,
  added: readonly Placed<CodeInterval>[],
  revisions: readonly string[],
): Promise<void> {
  await transaction.rows(
    sql`
      insert into dtcs (device_id, account_id, vehicle_id, ecu_type_id, code, encoded, encoding, dtc_type, frame_list,
        recorded, deleted, modified)
      select device_id, account_id, vehicle_id, ecu_type_id, code, encoded, encoding,
        case when is_frame then 'FREEZEFRAME' else list end, case when is_frame then list end,
        epoch_ms(recorded_ms), epoch_ms(deleted_ms), modified
      from unnest(
        ${added.map(({ place }) => place.deviceId)}::bigint[],
        ${added.map(({ place }) => place.accountId)}::integer[],
        ${added.map(({ place }) => place.vehicleId)}::bigint[],
        ${added.map(({ interval }) => interval.ecuTypeId)}::integer[],
        ${added.map(({ interval }) => interval.code)}::text[],
        ${added.map(({ interval }) => interval.encoded)}::text[],
        ${added.map(({ interval }) => interval.encoding)}::text[],
        ${added.map(({ place }) => place.kind)}::text[],
        ${added.map(({ interval }) => interval.isFreezeFrame)}::boolean[],
        ${added.map(({ interval }) => interval.recordedMs)}::bigint[],
        ${added.map(({ interval }) => interval.deletedMs ?? null)}::bigint[],
        ${revisions}::timestamptz[]
      ) as u (device_id, account_id, vehicle_id, ecu_type_id, code, encoded, encoding, list, is_frame, recorded_ms,
        deleted_ms, modified)`,
    { prepareAs: 'add-dtcs' },
  )
}

async function updateIntervals(
  transaction: Transaction,
  changed: readonly Placed<StoredInterval>[],
  revisions: readonly string[],
): Promise<void> {
  await transaction.rows(
    sql`
      update dtcs d set encoded = u.encoded, encoding = u.encoding, recorded = epoch_ms(u.recorded_ms),
        deleted = epoch_ms(u.deleted_ms), modified = u.modified
      from unnest(
        ${changed.map(({ place }) => place.deviceId)}::bigint[],
        ${changed.map(({ interval }) => interval.id)}::bigint[],
        ${changed.map(({ interval }) => interval.encoded)}::text[],
        ${changed.map(({ interval }) => interval.encoding)}::text[],
        ${changed.map(({ interval }) => interval.recordedMs)}::bigint[],
        ${changed.map(({ interval }) => interval.deletedMs ?? null)}::bigint[],
        ${revisions}::timestamptz[]
      ) as u (device_id, id, encoded, encoding, recorded_ms, deleted_ms, modified)
      where d.device_id = u.device_id and d.id = u.id`,
    { prepareAs: 'change-dtcs' },
  )
}

/** A code that never was ends where it began, and stays as a row, because clients may have read it. */
async function retractRows(
  transaction: Transaction,
  retracted: readonly Placed<StoredInterval>[],
  revisions: readonly string[],
): Promise<void> {
  await transaction.rows(
    sql`
      update dtcs d set is_retracted = true, deleted = d.recorded, modified = u.modified
      from unnest(
        ${retracted.map(({ place }) => place.deviceId)}::bigint[], ${retracted.map(({ interval }) => interval.id)}::bigint[],
        ${revisions}::timestamptz[]
      ) as u (device_id, id, modified)
      where d.device_id = u.device_id and d.id = u.id`,
    { prepareAs: 'retract-dtcs' },
  )
}
