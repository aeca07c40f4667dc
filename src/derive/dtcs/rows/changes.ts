import { insertOf, revised, updateOf } from '../../../db/bulk-rows.ts'
import type { LockedDevices } from '../../../db/shards/locked-devices.ts'
import type { IntervalChanges, StoredInterval } from '../derive/difference.ts'
import type { CodeInterval } from '../derive/intervals.ts'
import type { CodePlace } from './rows.ts'

/** The changes to the codes of one series. */
export type PlaceChanges = CodePlace & IntervalChanges

/** Writes the changes; every row gets its own revision. */
export async function writeIntervalChanges(locked: LockedDevices, changes: readonly PlaceChanges[]): Promise<void> {
  const transaction = locked.transactionFor(changes)
  const added = changes.flatMap(place => place.added.map(interval => ({ place, interval })))
  const changed = changes.flatMap(place => place.changed.map(interval => ({ place, interval })))
  const retracted = changes.flatMap(place => place.retracted.map(interval => ({ place, interval })))
  if (added.length > 0)
    await transaction.rows(insertOf('dtcs', await revised(transaction, added.map(newRow))), { prepareAs: 'add-dtcs' })
  const rows = [...changed.map(changedRow), ...retracted.map(retractedRow)]
  if (rows.length > 0)
    await transaction.rows(updateOf('dtcs', ['device_id', 'id'], await revised(transaction, rows)), {
      prepareAs: 'change-dtcs',
    })
}

interface Placed<Interval> {
  readonly place: CodePlace
  readonly interval: Interval
}

function newRow({ place, interval }: Placed<CodeInterval>) {
  return {
    device_id: place.deviceId,
    account_id: place.accountId,
    vehicle_id: place.vehicleId,
    ecu_type_id: interval.ecuTypeId,
    code: interval.code,
    dtc_type: interval.isFreezeFrame ? 'FREEZEFRAME' : place.kind,
    frame_list: interval.isFreezeFrame ? place.kind : null,
    ...valuesOf(interval),
  }
}

function changedRow({ place, interval }: Placed<StoredInterval>) {
  return { device_id: place.deviceId, id: interval.id, ...valuesOf(interval), is_retracted: false }
}

/** A retracted code ends when it began. Its row stays, because clients may have read it. */
function retractedRow({ place, interval }: Placed<StoredInterval>) {
  return { ...changedRow({ place, interval }), deleted: interval.recordedMs, is_retracted: true }
}

function valuesOf({ encoded, encoding, recordedMs, deletedMs }: CodeInterval) {
  return { encoded, encoding, recorded: recordedMs, deleted: deletedMs ?? null }
}
