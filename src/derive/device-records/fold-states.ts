import type { Connection } from '../../db/database.ts'
import { revisionAfter } from '../../db/revisions.ts'
import { isNobodyElses } from '../../db/shards/kept-shards.ts'
import type { LockedDevice, LockedDevices } from '../../db/shards/locked-devices.ts'
import { sql } from '../../db/sql.ts'
import { instantMs } from '../../db/values.ts'
import type { DeviceId } from '../../model/sample.ts'
import { DERIVATION_VERSION } from '../derivation-version.ts'
import type { FoldContext } from '../fold-part.ts'
import { readRulesOf } from '../rules/rule-books.ts'
import { contextOf } from './device-records.ts'
import { type FoldUpdate, foldArrays } from './device-updates.ts'

/** What of a device waits to be worked out again. */
interface DueWork {
  /** From the oldest to the newest instant that changed out of order, which could not be folded at once. */
  readonly outOfOrder: { readonly fromMs: number; readonly toMs: number } | undefined
  readonly assignmentsDue: boolean
  /** Nothing was derived from its samples yet: a Tacho stored them that could not. */
  readonly isFirst: boolean
}

/**
 * Whether something waits for a device, due or not. With `exists`, the whole table is read until it was analysed for the first time: the
 * planner takes half of its devices to be due.
 */
export const DUE_DEVICES_WAIT = sql`
  (select true from device_states where dirty_from is not null or assignments_due order by dirty_since limit 1) is not null`

/**
 * The devices for which something waits, one of each account and then the next one of each, the longest waiting first:
 * those of which nothing came for `quietMs`, and those that wait for `longestWaitMs`. Where the clock was set back, times of before lie ahead: nobody waits until it has
 * caught up.
 * @param leaseOwner this process; undefined when it remembers nothing
 */
export async function readDueDevices(
  connection: Connection,
  {
    quietMs,
    longestWaitMs,
    except,
    leaseOwner,
    most,
  }: {
    readonly quietMs: number
    readonly longestWaitMs: number
    readonly except: readonly DeviceId[]
    readonly leaseOwner: number | undefined
    readonly most: number
  },
): Promise<DueDevice[]> {
  const rows = await connection.rows<{ device_id: DeviceId; account_id: number | null }>(
    sql`
      select s.device_id, a.account_id
      from device_states s left join assignments a on a.device_id = s.device_id and a.to_time = 'infinity'
      where (dirty_from is not null or assignments_due)
        and (last_received not between clock_timestamp() - ${quietMs} * interval '1 millisecond'
            and clock_timestamp() + ${quietMs} * interval '1 millisecond'
          or dirty_since not between clock_timestamp() - ${longestWaitMs} * interval '1 millisecond'
            and clock_timestamp() + ${longestWaitMs} * interval '1 millisecond')
        and s.device_id <> all(${except}::bigint[]) and ${isNobodyElses(sql`s.device_id`, leaseOwner)}
      order by row_number() over (partition by a.account_id order by dirty_since), dirty_since limit ${most}`,
    { prepareAs: 'due-devices' },
  )
  return rows.map(row => ({ deviceId: row.device_id, accountId: row.account_id ?? undefined }))
}

/** A device for which something waits, and the account that has it now. */
export interface DueDevice {
  readonly deviceId: DeviceId
  readonly accountId: number | undefined
}

/** What waits for a device; undefined when nothing does. */
export async function readDueWork({ transaction, deviceId }: LockedDevice): Promise<DueWork | undefined> {
  const [row] = await transaction.rows<{
    dirty_from: string | null
    dirty_to: string | null
    assignments_due: boolean
    is_first: boolean
  }>(sql`
    select dirty_from, dirty_to, assignments_due, fold is null as is_first from device_states
    where device_id = ${deviceId} and (dirty_from is not null or assignments_due)`)
  if (!row) return undefined
  return {
    outOfOrder:
      row.dirty_from === null || row.dirty_to === null
        ? undefined
        : { fromMs: instantMs(row.dirty_from), toMs: instantMs(row.dirty_to) },
    assignmentsDue: row.assignments_due,
    isFirst: row.is_first,
  }
}

/** What folding the out-of-order samples of a device relies on besides the samples. */
export interface OutOfOrderBasis {
  readonly fromMs: number
  readonly toMs: number
  /** Since when samples are kept. */
  readonly keptSinceMs: number
  readonly context: FoldContext
  /** Another one when anything changed since: samples came, the device was moved, its rules changed, its history was folded again. */
  readonly mark: string
}

/**
 * To be read after `holdKeptSince`, so that all samples of which it tells can be read.
 * @returns undefined when no out-of-order samples wait
 */
export async function readOutOfOrderBasis({
  transaction,
  deviceId,
}: LockedDevice): Promise<OutOfOrderBasis | undefined> {
  const [row] = await transaction.rows<{
    dirty_from: string
    dirty_to: string
    kept_since: string | null
    moves: readonly string[]
    last_received: string | null
    folded_by: number
    folded_to: string | null
    is_ruled: boolean
  }>(sql`
    select s.dirty_from, s.dirty_to, s.last_received, s.folded_by, r.folded_to, k.kept_since,
      array(select at_time from operator_moves m where m.device_id = s.device_id and at_time > '-infinity' order by at_time)
        as moves,
      exists (select from assignments a join rule_books b using (account_id) where a.device_id = s.device_id) as is_ruled
    from device_states s left join refolds r using (device_id) left join retention k on true
    where s.device_id = ${deviceId} and s.dirty_from is not null`)
  if (!row) return undefined
  const context = contextOf(
    row.moves,
    row.is_ruled ? (await readRulesOf(transaction, [deviceId])).get(deviceId) : undefined,
  )
  return {
    fromMs: instantMs(row.dirty_from),
    toMs: instantMs(row.dirty_to),
    keptSinceMs: row.kept_since === null ? Number.NEGATIVE_INFINITY : instantMs(row.kept_since),
    context,
    mark: JSON.stringify([row, context.contextKey]),
  }
}

/** Samples of a device that nothing was derived from are to be folded as out-of-order ones are: all of them are stored. */
export async function markOutOfOrder(
  { transaction, deviceId }: LockedDevice,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<void> {
  await transaction.rows(sql`
    update device_states set
      dirty_from = least(dirty_from, epoch_ms(${fromMs})),
      dirty_to = greatest(dirty_to, epoch_ms(${toMs})),
      dirty_since = coalesce(dirty_since, clock_timestamp()),
      last_time = greatest(last_time, epoch_ms(${toMs})),
      last_received = clock_timestamp()
    where device_id = ${deviceId}`)
}

/** What waited for a device is done. */
export async function clearDueWork({ transaction, deviceId }: LockedDevice): Promise<void> {
  await transaction.rows(sql`
    update device_states set dirty_from = null, dirty_to = null, dirty_since = null, assignments_due = false
    where device_id = ${deviceId}`)
}

/** The same state of a fold in the form of this version. */
export async function renewFoldState({ transaction, deviceId }: LockedDevice, state: string): Promise<void> {
  await transaction.rows(sql`
    update device_states set fold = ${state} where device_id = ${deviceId} and fold <> ${state}`)
}

/** Writes where the folds of devices stand, outside of a batch of samples. */
export async function writeFoldStates(locked: LockedDevices, folds: ReadonlyMap<DeviceId, FoldUpdate>): Promise<void> {
  if (folds.size === 0) return
  const { transaction } = locked.devices([...folds.keys()])
  const first = await transaction.takeRevisions(folds.size)
  let offset = 0
  await transaction.rows(sql`
    update device_states s set fold = u.fold, trip_id = u.trip_id, trip_start = epoch_ms(u.trip_start_ms),
      trip_end = epoch_ms(u.trip_end_ms), trip_silent_from = epoch_ms(u.silent_from_ms),
      trip_distance_m = u.distance_m, trip_duration_s = u.duration_s, trip_meters = u.meters::jsonb,
      trip_route_kept = u.kept, trip_route = u.route, trip_modified = u.modified,
      assignments_due = s.assignments_due or u.due, folded_by = least(s.folded_by, ${DERIVATION_VERSION}::smallint)
    from unnest(
      ${[...folds.keys()]}::bigint[],
      ${foldArrays([...folds.values()], () => revisionAfter(first, offset++))}
    ) as u (device_id, fold, trip_id, trip_start_ms, trip_end_ms, silent_from_ms, distance_m, duration_s, meters, kept,
      route, modified, due)
    where s.device_id = u.device_id`)
}
