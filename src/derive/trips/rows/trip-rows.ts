import { insertOf, revised, TABLES, unnestOf } from '../../../db/bulk-rows.ts'
import { revisionAfter } from '../../../db/revisions.ts'
import type { LockedDevices } from '../../../db/shards.ts'
import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { DeviceId, Position } from '../../../model/sample.ts'
import { ensureAddresses } from '../../addresses/addresses.ts'
import type { DerivedTrip } from '../trip.ts'

/** A trip to be written. */
interface TripWrite {
  readonly deviceId: DeviceId
  readonly accountId: number
  readonly vehicleId: number
  /** Its existing row; undefined to insert one. */
  readonly tripId: number | undefined
  readonly trip: DerivedTrip
  /** Still being driven, so its end has no address yet. */
  readonly isOpen: boolean
}

interface WrittenTrip {
  readonly id: number
  /** False if the row already had these values. */
  readonly isChanged: boolean
}

/**
 * Inserts and updates rows of trips.
 * @returns one result per write, in their order.
 */
export async function writeTrips(locked: LockedDevices, writes: readonly TripWrite[]): Promise<WrittenTrip[]> {
  if (writes.length === 0) return []
  const transaction = locked.transactionFor(writes)
  const first = await transaction.takeRevisions(writes.length)
  const addresses = await addressesOf(transaction, writes)
  const rows = writes.map((write, index) => ({ ...write, ...addresses[index], modified: revisionAfter(first, index) }))
  const created = rows.filter(row => row.tripId === undefined)
  const ids = await insertRows(transaction, created)
  const idOfNew = new Map(created.map((row, index) => [row, ids[index]]))
  const changed = await updateRows(
    transaction,
    rows.flatMap(({ tripId, ...row }) => (tripId === undefined ? [] : [{ ...row, tripId }])),
  )
  return rows.map(row => {
    const id = row.tripId ?? idOfNew.get(row)
    if (id === undefined) throw new Error('a new trip got no row')
    return { id, isChanged: row.tripId === undefined || changed.has(id) }
  })
}

/** Marks trips as deleted that out-of-order data merged into others or removed (decisions.md, *deleted trips and DTCs*). */
export async function retractTrips(
  locked: LockedDevices,
  trips: readonly { readonly deviceId: DeviceId; readonly id: number }[],
): Promise<void> {
  if (trips.length === 0) return
  const transaction = locked.transactionFor(trips)
  const rows = await revised(
    transaction,
    trips.map(({ deviceId, id }) => ({ device_id: deviceId, id })),
  )
  await transaction.rows(sql`
    update trips t set deleted = coalesce(t.deleted, clock_timestamp()), superseded_by = null, is_open = false,
      distance_m = 0, duration_s = 0, fix_count = 0, meters = '{}', polyline = '', modified = u.modified
    from ${unnestOf({ device_id: 'bigint', id: 'bigint', modified: 'timestamptz' }, rows)}
    where t.device_id = u.device_id and t.id = u.id`)
}

interface Addresses {
  readonly startAddressId?: number | undefined
  readonly endAddressId?: number | undefined
}

type TripRow = TripWrite & Addresses & { readonly modified: string }

async function addressesOf(transaction: Transaction, writes: readonly TripWrite[]): Promise<Addresses[]> {
  const positions: Position[] = []
  const add = (position: Position | undefined) => (position ? positions.push(position) - 1 : undefined)
  const places = writes.map(({ trip, isOpen }) => ({
    start: add(trip.startPosition),
    end: add(isOpen ? undefined : trip.endPosition),
  }))
  const ids = positions.length === 0 ? [] : await ensureAddresses(transaction, positions)
  return places.map(({ start, end }) => ({
    startAddressId: start === undefined ? undefined : ids[start],
    endAddressId: end === undefined ? undefined : ids[end],
  }))
}

/** @returns the ids of the inserted rows, in their order. */
async function insertRows(transaction: Transaction, rows: readonly TripRow[]): Promise<(number | undefined)[]> {
  if (rows.length === 0) return []
  const inserted = await transaction.rows<{ id: number; device_id: DeviceId; start_time: string }>(
    insertOf('trips', rows.map(columnsOf), sql`returning id, device_id, start_time`),
    { prepareAs: 'insert-trips' },
  )
  const keyOf = (deviceId: DeviceId, startMs: number) => `${deviceId} ${startMs}`
  const idByKey = new Map(inserted.map(row => [keyOf(row.device_id, Date.parse(row.start_time)), row.id]))
  return rows.map(row => idByKey.get(keyOf(row.deviceId, row.trip.startMs)))
}

/** @returns the ids of the rows that changed. */
async function updateRows(
  transaction: Transaction,
  rows: readonly (TripRow & { readonly tripId: number })[],
): Promise<Set<number>> {
  if (rows.length === 0) return new Set()
  const values = rows.map(row => ({ ...columnsOf(row), id: row.tripId, kept: row.trip.route.kept }))
  const updated = await transaction.rows<{ id: number }>(
    sql`
      update trips t set
        vehicle_id = u.vehicle_id, start_time = u.start_time, end_time = u.end_time, is_open = u.is_open,
        distance_m = u.distance_m, duration_s = u.duration_s, start_address_id = u.start_address_id,
        end_address_id = u.end_address_id, meters = u.meters::jsonb, polyline = left(t.polyline, u.kept) || u.polyline,
        fix_count = u.fix_count, modified = u.modified
      from ${unnestOf({ ...TABLES.trips, kept: 'integer' }, values)}
      where t.device_id = u.device_id and t.id = u.id and (
        (t.vehicle_id, t.start_time, t.end_time, t.is_open, t.distance_m, t.duration_s, t.start_address_id,
          t.end_address_id, t.meters, t.polyline, t.fix_count)
        is distinct from
        (u.vehicle_id, u.start_time, u.end_time, u.is_open, u.distance_m, u.duration_s, u.start_address_id,
          u.end_address_id, u.meters::jsonb, left(t.polyline, u.kept) || u.polyline, u.fix_count))
      returning t.id`,
    { prepareAs: 'update-trips' },
  )
  return new Set(updated.map(row => row.id))
}

/** The row of a trip; `polyline` is the part of the line that the row does not have yet. */
function columnsOf({ deviceId, accountId, vehicleId, trip, isOpen, startAddressId, endAddressId, modified }: TripRow) {
  return {
    device_id: deviceId,
    account_id: accountId,
    vehicle_id: vehicleId,
    start_time: trip.startMs,
    end_time: trip.endMs,
    is_open: isOpen,
    distance_m: trip.distanceM,
    duration_s: trip.durationS,
    start_address_id: startAddressId ?? null,
    end_address_id: endAddressId ?? null,
    meters: JSON.stringify(trip.meters),
    polyline: trip.route.text,
    fix_count: trip.fixCount,
    modified,
  }
}
