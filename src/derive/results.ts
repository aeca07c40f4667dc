import { revisionAfter } from '../db/revisions.ts'
import type { LockedDevices } from '../db/shards.ts'
import { listOf, sql, textList, verbatim } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import { readersOfSameVins } from './assignments/vehicle-ids.ts'
import { assignmentAt, type DeviceRecord } from './device-records.ts'
import { DERIVATION_VERSION, markCars, spanOf } from './due.ts'
import type { DerivedDevice } from './fact.ts'
import { FACTS } from './facts.ts'
import type { FoldResult } from './folding.ts'
import { vinRunOf, withStoredRoute } from './trips/fold.ts'
import {
  deleteVinRuns,
  matchTrips,
  readStoredTrips,
  readVinRuns,
  replaceCheckpoints,
  retractTrips,
  type StoredTrip,
  writeCheckpoints,
  writeTrips,
  writeVinRuns,
} from './trips/rows.ts'
import { isShared, lockWhereShared, reviseDrivers, type TouchedTrip, touchTrips } from './trips/shared-cars.ts'
import { serialiseState, type VinRun } from './trips/state.ts'
import type { DerivedTrip } from './trips/trip.ts'

export interface DeviceResult {
  /** As it was before. */
  readonly record: DeviceRecord
  /** The samples that changed, ascending by time, as they are stored. */
  readonly samples: readonly Sample[]
  /** The newest sample that is stored, where it is not one of these. */
  readonly lastMs?: number | undefined
  /** When something last arrived, by the clock of the database; undefined when that is as it was. */
  readonly receivedMs: number | undefined
  /** undefined when nothing was folded. */
  readonly folded: FoldResult | undefined
}

/** As many rows of a device are mostly written: two trips, the device, its car, its state, its latest values. */
const REVISIONS_EACH = 6

/** Writes what differs: trips, checkpoints and VIN runs, where the folds stand, then every fact in its order.
 * @returns the devices whose VIN readings changed: in which cars they were is due */
export async function writeResults(
  locked: LockedDevices,
  results: readonly DeviceResult[],
): Promise<readonly DeviceId[]> {
  const { transaction, lockedMs: nowMs } = locked
  if (results.length > 0) await transaction.reserveRevisions(results.length * REVISIONS_EACH)
  const folded = results.flatMap(({ record, folded: range }) => (range ? [{ record, range }] : []))
  const states = await writeDeviceTrips(locked, folded, nowMs)
  await writeDeviceCheckpoints(locked, folded)
  const withChangedRuns = [...(await writeDeviceVinRuns(locked, folded))]
  await writeStates(transaction, results, states)
  await markCars(transaction, [...withChangedRuns, ...(await readersOfSameVins(transaction, withChangedRuns))])
  const devices = results.map(
    ({ record, samples, receivedMs }): DerivedDevice => ({
      record,
      samples,
      isReceived: receivedMs !== undefined,
      latest: new Map(),
    }),
  )
  for (const { name, inOrder, follow } of FACTS) {
    await inOrder?.write(
      locked,
      folded.flatMap(({ record, range }) => {
        const stretch = range.stretches.get(name)
        return stretch ? [{ device: record, ...stretch }] : []
      }),
    )
    await follow?.(locked, devices)
  }
  return withChangedRuns
}

interface DeviceFold {
  readonly record: DeviceRecord
  readonly range: FoldResult
}

/** Where the fold of a device stands, with the row of the trip that it is in. */
interface FoldPosition {
  readonly state: string
  readonly trip: { readonly id: number; readonly startMs: number; readonly open: DerivedTrip | undefined } | undefined
  /** The row of the trip has all of its route. */
  readonly isRouteStored: boolean
}

/** The route of an open trip is moved into its row at this length in characters: about 80 fixes. */
const ROUTE_MOVES_AT = 250

interface TripPlan {
  readonly device: DeviceFold
  readonly trip: DerivedTrip
  readonly accountId: number
  readonly vehicleId: number
  readonly row: StoredTrip | undefined
  readonly isOpen: boolean
  /** The row is not written: the trip was open and still is, and what changes of it is in `device_states`. */
  readonly isLeftAlone: boolean
}

/** Writes rows of trips. @returns where the folds stand that reached the newest sample */
async function writeDeviceTrips(
  locked: LockedDevices,
  folds: readonly DeviceFold[],
  nowMs: number,
): Promise<ReadonlyMap<DeviceId, FoldPosition>> {
  if (folds.length === 0) return new Map()
  const { transaction } = locked
  const stored = await readRows(transaction, folds)
  const plans: TripPlan[] = []
  const retracted: (StoredTrip & { readonly deviceId: DeviceId })[] = []
  for (const device of folds) planDevice(device, stored.get(device.record.deviceId) ?? [], { nowMs, plans, retracted })
  await lockWhereShared(
    transaction,
    folds.flatMap(({ record, range }) =>
      record.othersUntilMs.size === 0
        ? []
        : [
            {
              record,
              startsMs: [...range.trips, ...(stored.get(record.deviceId) ?? [])].map(({ startMs }) => startMs),
            },
          ],
    ),
  )
  const written = plans.filter(plan => !plan.isLeftAlone)
  const rows = await writeTrips(
    locked,
    written.map(({ device, row, ...plan }) => ({ ...plan, deviceId: device.record.deviceId, tripId: row?.id })),
  )
  await retractTrips(locked, retracted)
  const driver = ({ device, vehicleId }: TripPlan) => ({ deviceId: device.record.deviceId, vehicleId })
  await reviseDrivers(transaction, [
    ...written.filter(({ isOpen, row }) => isOpen !== (row?.isOpen ?? false)).map(driver),
    ...retracted.filter(row => row.isOpen),
  ])
  const ids = new Map(plans.map(plan => [plan, plan.row?.id]))
  const changed = new Set<TripPlan>()
  written.forEach((plan, index) => {
    const row = rows[index]
    ids.set(plan, row?.id)
    if (row?.isChanged) changed.add(plan)
  })
  touchTrips(transaction, [
    ...plans.flatMap(plan => touchedBy(plan, ids.get(plan), changed.has(plan))),
    ...retracted.map(({ id, startMs, accountId, vehicleId }) => ({
      accountId,
      vehicleId,
      timeMs: startMs,
      tripId: id,
    })),
  ])
  const ended = [...changed].flatMap(({ device, isOpen }) => (isOpen ? [] : device.record.deviceId))
  const withOtherTrips = [...ended, ...retracted.map(({ deviceId }) => deviceId)]
  await markCars(transaction, await readersOfSameVins(transaction, withOtherTrips))
  return positionsOf(folds, plans, ids)
}

/** Rows of trips that may be those of the folded ones. A device that goes on with the trip
 * in its record, or none, needs no read. */
async function readRows(
  transaction: Transaction,
  folds: readonly DeviceFold[],
): Promise<ReadonlyMap<DeviceId, readonly StoredTrip[]>> {
  const rows = new Map<DeviceId, readonly StoredTrip[]>()
  const unknown: { readonly deviceId: DeviceId; readonly fromMs: number; readonly toMs: number }[] = []
  for (const { record, range } of folds) {
    const { deviceId, trip } = record
    const assignment = trip && assignmentAt(record, trip.startMs)
    const isKnown =
      range.isContinued &&
      range.from.tripsMs === (trip?.startMs ?? Number.POSITIVE_INFINITY) &&
      range.trips.every(({ startMs }) => startMs === trip?.startMs)
    if (isKnown && !trip) rows.set(deviceId, [])
    else if (isKnown && assignment && range.trips.length > 0)
      rows.set(deviceId, [{ ...trip, ...assignment, endMs: trip.startMs }])
    else
      unknown.push({
        deviceId,
        fromMs: Math.min(range.from.tripsMs, trip?.startMs ?? Number.POSITIVE_INFINITY),
        toMs: range.tripsToMs,
      })
  }
  for (const [deviceId, ofDevice] of await readStoredTrips(transaction, unknown)) rows.set(deviceId, ofDevice)
  return rows
}

function planDevice(
  device: DeviceFold,
  stored: readonly StoredTrip[],
  {
    nowMs,
    plans,
    retracted,
  }: {
    readonly nowMs: number
    readonly plans: TripPlan[]
    readonly retracted: (StoredTrip & { readonly deviceId: DeviceId })[]
  },
): void {
  const { record, range } = device
  const { deviceId } = record
  const rows = stored.filter(row => row.startMs < (range.goingOnMs ?? Number.POSITIVE_INFINITY))
  const { kept, retracted: vanished } = matchTrips(range.trips, rows)
  for (const row of vanished) retracted.push({ deviceId, ...row })
  for (const { trip, row: matched } of kept) {
    const assignment = assignmentAt(record, trip.startMs)
    // Clients that sync the other vehicle must learn that the trip left it (docs/adr/0009).
    const isHere = matched?.vehicleId === assignment?.vehicleId && matched?.accountId === assignment?.accountId
    if (matched && !isHere) retracted.push({ deviceId, ...matched })
    if (!assignment) continue
    const row = isHere ? matched : undefined
    // While a dongle uploads old samples, its newest sample is old although the trip continues.
    const isOpen = trip.isRunning && !(range.endsSilent && trip.silentFromMs <= nowMs)
    plans.push({
      device,
      trip,
      accountId: assignment.accountId,
      vehicleId: assignment.vehicleId,
      row,
      isOpen,
      isLeftAlone:
        range.isContinued &&
        isOpen &&
        row?.isOpen === true &&
        row.startMs === trip.startMs &&
        !range.mustStoreRoute &&
        trip.route.text.length < ROUTE_MOVES_AT,
    })
  }
}

/** The days of statistics, and the other dongles of a car, that a trip may concern. */
function touchedBy(plan: TripPlan, tripId: number | undefined, isChanged: boolean): TouchedTrip[] {
  const { device, trip, accountId, vehicleId, row, isOpen } = plan
  // A trip that is open again no longer counts in its day.
  const isDayAsBefore = !isChanged || (isOpen && (row?.isOpen ?? true))
  // An open trip may overlap another one from any sample on.
  if (isDayAsBefore && !isShared(device.record, trip.startMs)) return []
  const touched: TouchedTrip[] = [{ accountId, vehicleId, timeMs: trip.startMs, tripId, isDayAsBefore }]
  if (!isDayAsBefore && row && row.startMs !== trip.startMs)
    touched.push({ accountId, vehicleId, timeMs: row.startMs, tripId })
  return touched
}

function positionsOf(
  folds: readonly DeviceFold[],
  plans: readonly TripPlan[],
  ids: ReadonlyMap<TripPlan, number | undefined>,
): ReadonlyMap<DeviceId, FoldPosition> {
  const planOf = new Map(plans.map(plan => [plan.trip, plan]))
  const positions = new Map<DeviceId, FoldPosition>()
  for (const { record, range } of folds) {
    if (range.end.kind !== 'newest sample') continue
    const trip = range.trips.find(({ startMs }) => startMs === range.openStartMs)
    const plan = trip && planOf.get(trip)
    const id = plan && ids.get(plan)
    const isRouteStored = plan !== undefined && !plan.isLeftAlone
    const { state } = range.end
    positions.set(record.deviceId, {
      state: serialiseState(isRouteStored ? withStoredRoute(state) : state),
      trip:
        plan && id !== undefined
          ? { id, startMs: plan.trip.startMs, open: plan.isOpen ? plan.trip : undefined }
          : undefined,
      isRouteStored,
    })
  }
  return positions
}

async function writeDeviceCheckpoints(locked: LockedDevices, folds: readonly DeviceFold[]): Promise<void> {
  for (const { record, range } of folds)
    if (!range.isContinued)
      await replaceCheckpoints(locked.device(record.deviceId), range.from.afterMs, range.toMs, range.checkpoints)
  await writeCheckpoints(
    locked,
    folds.flatMap(({ record: { deviceId }, range }) =>
      range.isContinued ? range.checkpoints.map(checkpoint => ({ deviceId, ...checkpoint })) : [],
    ),
  )
}

/** @returns the devices of which any run changed */
async function writeDeviceVinRuns(locked: LockedDevices, folds: readonly DeviceFold[]): Promise<Set<DeviceId>> {
  const changed = new Set<DeviceId>()
  const runs: (VinRun & { readonly deviceId: DeviceId })[] = []
  for (const { record, range } of folds) {
    const { deviceId } = record
    let now = range.vinRuns
    if (!range.isContinued) {
      const before = await readVinRuns(locked.transaction, deviceId, range.from.runsMs, range.toMs)
      now = range.vinRuns.map(run => asStoredBeyond(run, range, before))
      const gone = before.filter(run => !now.some(({ firstMs }) => firstMs === run.firstMs)).map(run => run.firstMs)
      await deleteVinRuns(locked.device(deviceId), gone)
      if (gone.length > 0) changed.add(deviceId)
    }
    for (const run of now) runs.push({ deviceId, ...run })
  }
  for (const deviceId of await writeVinRuns(locked, runs)) changed.add(deviceId)
  return changed
}

/** A run that continues after the range may have been confirmed, or bounded, there. */
function asStoredBeyond(run: VinRun, { end }: FoldResult, before: readonly VinRun[]): VinRun {
  if (end.kind === 'newest sample' || vinRunOf(end.state)?.firstMs !== run.firstMs) return run
  return before.find(item => item.firstMs === run.firstMs) ?? run
}

/** The extent of the samples of a device once a result is written; empty while there are none. */
export function extentAfter({
  record: { extent },
  samples,
  lastMs = Number.NEGATIVE_INFINITY,
}: Pick<DeviceResult, 'record' | 'samples' | 'lastMs'>): { readonly firstMs: number; readonly lastMs: number } {
  const { fromMs, toMs } = spanOf(samples)
  return {
    firstMs: Math.min(extent?.firstMs ?? Number.POSITIVE_INFINITY, fromMs),
    lastMs: Math.max(extent?.lastMs ?? Number.NEGATIVE_INFINITY, toMs, lastMs),
  }
}

/** Writes the extent of the derived samples, and where the folds stand. */
async function writeStates(
  transaction: Transaction,
  results: readonly DeviceResult[],
  positions: ReadonlyMap<DeviceId, FoldPosition>,
): Promise<void> {
  const updates = results.flatMap(result => {
    const { record, receivedMs } = result
    const { deviceId, extent } = record
    const { firstMs, lastMs: newestMs } = extentAfter(result)
    const position = positions.get(deviceId)
    const isSame = newestMs === extent?.lastMs && firstMs === extent.firstMs && receivedMs === undefined && !position
    return Number.isFinite(firstMs) && !isSame ? [{ deviceId, firstMs, lastMs: newestMs, receivedMs, position }] : []
  })
  if (updates.length === 0) return
  const trips = updates.map(({ position }) => position?.trip)
  const routes = updates.map(({ position }) => (position?.isRouteStored ? undefined : position?.trip?.open?.route))
  const opens = trips.map(trip => trip?.open)
  const first = await transaction.takeRevisions(updates.length)
  await transaction.rows(
    sql`
      insert into device_states as s (device_id, first_time, last_time, last_received, fold, folded_by,
        ${listOf(TRIP_COLUMNS.map(column => verbatim(column)))})
      select device_id, epoch_ms(first_ms), epoch_ms(last_ms), coalesce(epoch_ms(received_ms), '-infinity'), fold, ${DERIVATION_VERSION}::smallint,
        trip_id, epoch_ms(trip_start_ms), epoch_ms(trip_end_ms), epoch_ms(silent_from_ms), distance_m, duration_s, meters::jsonb,
        kept, route, trip_modified
      from unnest(
        ${updates.map(update => update.deviceId)}::bigint[],
        ${updates.map(update => update.firstMs)}::bigint[],
        ${updates.map(update => update.lastMs)}::bigint[],
        ${updates.map(update => update.receivedMs ?? null)}::bigint[],
        ${textList(updates.map(({ position }) => position?.state ?? null))},
        ${trips.map(trip => trip?.id ?? null)}::bigint[],
        ${trips.map(trip => trip?.startMs ?? null)}::bigint[],
        ${opens.map(open => open?.endMs ?? null)}::bigint[],
        ${opens.map(open => open?.silentFromMs ?? null)}::bigint[],
        ${opens.map(open => open?.distanceM ?? null)}::integer[],
        ${opens.map(open => open?.durationS ?? null)}::integer[],
        ${textList(opens.map(open => (open ? JSON.stringify(open.meters) : null)))},
        ${routes.map(route => route?.kept ?? null)}::integer[],
        ${textList(routes.map(route => route?.text ?? null))},
        ${opens.map((open, index) => (open ? revisionAfter(first, index) : null))}::timestamptz[]
      ) as u (device_id, first_ms, last_ms, received_ms, fold, trip_id, trip_start_ms, trip_end_ms, silent_from_ms, distance_m,
        duration_s, meters, kept, route, trip_modified)
      on conflict (device_id) do update set
        first_time = excluded.first_time,
        last_time = excluded.last_time,
        last_received = case when excluded.last_received = '-infinity' then s.last_received else excluded.last_received end,
        fold = coalesce(excluded.fold, s.fold),
        ${listOf(
          TRIP_COLUMNS.map(column =>
            verbatim(`${column} = case when excluded.fold is null then s.${column} else excluded.${column} end`),
          ),
        )}`,
    { prepareAs: 'write-device-states' },
  )
}

const TRIP_COLUMNS = [
  'trip_id',
  'trip_start',
  'trip_end',
  'trip_silent_from',
  'trip_distance_m',
  'trip_duration_s',
  'trip_meters',
  'trip_route_kept',
  'trip_route',
  'trip_modified',
]
