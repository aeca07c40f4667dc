import type { LockedDevices } from '../../../db/shards/locked-devices.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { assignmentAt, type CurrentTrip, type DeviceRecord } from '../../device-records/device-records.ts'
import type { FoldUpdate, OpenTrip } from '../../device-records/device-updates.ts'
import { type Folded, withStoredRoute } from '../derive/fold.ts'
import { serialiseState } from '../derive/state.ts'
import type { DerivedTrip } from '../derive/trip.ts'
import { writeCheckpoints } from './checkpoints.ts'
import { isShared, lockWhereShared } from './overlaps/shared-vehicles.ts'
import { type TouchedTrip, touchTrips } from './reconcile-vehicles.ts'
import { reviseDrivers } from './revise-drivers.ts'
import { readTripsAt } from './stored-trips.ts'
import { retractTrips, type TripWrite, writeTrips } from './trip-rows.ts'
import { writeVinRuns } from './vin-runs.ts'

/** The result of folding in-order samples of one device, and what was stored before. */
export interface DeviceFold {
  readonly record: DeviceRecord
  readonly folded: Folded
  /** The device has been silent for so long that its current trip is over for now. */
  readonly isSilent?: boolean
}

/** The route of an open trip is moved into its row at this length in characters: about 80 fixes. */
const ROUTE_MOVES_AT = 250

interface TripPlan {
  readonly write: TripWrite
  readonly row: CurrentTrip | undefined
  /** The row is not written: the trip was open and still is. */
  readonly isLeftAlone: boolean
  /** Another dongle may drive the same car. */
  readonly isShared: boolean
}

/**
 * Writes the trips, checkpoints and VIN runs that follow from in-order samples. The row of an open trip is not written; its changes are
 * in the result.
 * @returns the new state of the fold of each device, for its row in `device_states`
 */
export async function writeFolds(
  locked: LockedDevices,
  folds: readonly DeviceFold[],
): Promise<ReadonlyMap<DeviceId, FoldUpdate>> {
  if (folds.length === 0) return new Map()
  const { transaction } = locked
  const planned = folds.flatMap(planTrips)
  await lockWhereShared(
    transaction,
    folds.flatMap(({ record, folded }) =>
      record.othersUntilMs.size === 0 ? [] : { record, startsMs: startsOf(record, folded) },
    ),
  )
  const plans = await withKnownRows(transaction, planned)
  const idByTrip = await writeRows(locked, plans)
  touchTrips(transaction, await retractVanished(locked, folds))
  await writeCheckpoints(locked, ofDevices(folds, checkpointsOf))
  const withNewRuns = await writeVinRuns(locked, ofDevices(folds, vinRunsOf))
  const planByTrip = new Map<DerivedTrip, TripPlan>()
  for (const plan of plans) planByTrip.set(plan.write.trip, plan)
  const updates = new Map<DeviceId, FoldUpdate>()
  for (const {
    record: { deviceId },
    folded,
  } of folds) {
    const trip = folded.trips.find(item => item.startMs === folded.openStartMs)
    const id = trip && idByTrip.get(trip)
    const plan = trip && planByTrip.get(trip)
    const isStored = plan !== undefined && !plan.isLeftAlone
    updates.set(deviceId, {
      state: serialiseState(isStored ? withStoredRoute(folded.state) : folded.state),
      trip:
        trip && plan && id !== undefined
          ? { id, startMs: trip.startMs, open: plan.write.isOpen ? openTrip(trip, isStored) : undefined }
          : undefined,
      assignmentsDue: withNewRuns.has(deviceId),
    })
  }
  return updates
}

const checkpointsOf = ({ checkpoints }: Folded) => checkpoints
const vinRunsOf = ({ vinRuns }: Folded) => vinRuns

/** Something of each fold, with its device. */
function ofDevices<Item extends object>(
  folds: readonly DeviceFold[],
  itemsOf: (folded: Folded) => readonly Item[],
): (Item & { readonly deviceId: DeviceId })[] {
  const items: (Item & { readonly deviceId: DeviceId })[] = []
  for (const { record, folded } of folds)
    for (const item of itemsOf(folded)) items.push({ deviceId: record.deviceId, ...item })
  return items
}

/** The starts of all trips whose rows may change. */
function startsOf({ trip }: DeviceRecord, { trips }: Folded): number[] {
  return [...(trip ? [trip.startMs] : []), ...trips.map(({ startMs }) => startMs)]
}

function planTrips({ record, folded, isSilent }: DeviceFold): TripPlan[] {
  const plans: TripPlan[] = []
  for (const trip of folded.trips) {
    const assignment = assignmentAt(record, trip.startMs)
    if (!assignment) continue
    const { accountId, vehicleId } = assignment
    const row = record.trip?.startMs === trip.startMs ? record.trip : undefined
    const isOpen = trip.isRunning && !isSilent
    plans.push({
      write: { deviceId: record.deviceId, accountId, vehicleId, tripId: row?.id, trip, isOpen },
      row,
      isLeftAlone: isOpen && row?.isOpen === true && !folded.mustStoreRoute && trip.route.text.length < ROUTE_MOVES_AT,
      isShared: isShared(record, trip.startMs),
    })
  }
  return plans
}

/**
 * The newest sample alone may have ended one trip and begun another, while the device record knows the row of only one. Looked up
 * only if a row would be inserted, which few batches do.
 */
async function withKnownRows(transaction: Transaction, plans: readonly TripPlan[]): Promise<TripPlan[]> {
  const known = await readTripsAt(
    transaction,
    plans.filter(({ row }) => !row).map(({ write }) => ({ deviceId: write.deviceId, startMs: write.trip.startMs })),
  )
  return plans.map(plan => {
    const { write } = plan
    const row =
      plan.row ??
      known.find(
        ({ deviceId, startMs, vehicleId, accountId }) =>
          deviceId === write.deviceId &&
          startMs === write.trip.startMs &&
          vehicleId === write.vehicleId &&
          accountId === write.accountId,
      )
    return row === plan.row ? plan : { ...plan, write: { ...write, tripId: row?.id }, row }
  })
}

/** Writes the rows that must be written. @returns the row of each trip */
async function writeRows(locked: LockedDevices, plans: readonly TripPlan[]): Promise<ReadonlyMap<DerivedTrip, number>> {
  const { transaction } = locked
  const written = plans.filter(plan => !plan.isLeftAlone)
  const results = await writeTrips(
    locked,
    written.map(plan => plan.write),
  )
  await reviseDrivers(
    transaction,
    written.filter(({ write, row }) => write.isOpen !== (row?.isOpen ?? false)).map(({ write }) => write),
  )
  const idByTrip = new Map<DerivedTrip, number>()
  for (const { write, row } of plans) if (row) idByTrip.set(write.trip, row.id)
  written.forEach(({ write }, index) => {
    const id = results[index]?.id
    if (id !== undefined) idByTrip.set(write.trip, id)
  })
  const isChanged = new Set(written.filter((_, index) => results[index]?.isChanged))
  const touched = plans.flatMap((plan): TouchedTrip[] => {
    const { write, row } = plan
    const { accountId, vehicleId, trip } = write
    // A trip that is open again no longer counts in its day.
    const isDayAsBefore = !isChanged.has(plan) || (write.isOpen && (row?.isOpen ?? true))
    // An open trip may overlap another one from any sample on.
    if (isDayAsBefore && !plan.isShared) return []
    return [{ accountId, vehicleId, timeMs: trip.startMs, tripId: idByTrip.get(trip), isDayAsBefore }]
  })
  touchTrips(transaction, touched)
  return idByTrip
}

/** The newest instant arrived again with other values, and what had just become a trip is none any more. */
async function retractVanished(locked: LockedDevices, folds: readonly DeviceFold[]): Promise<TouchedTrip[]> {
  const touched: TouchedTrip[] = []
  for (const { record, folded } of folds) {
    const { trip } = record
    const assignment = trip && assignmentAt(record, trip.startMs)
    if (!assignment || folded.trips.some(({ startMs }) => startMs === trip.startMs)) continue
    const { accountId, vehicleId } = assignment
    await retractTrips(locked.device(record.deviceId), [trip.id])
    if (trip.isOpen) await reviseDrivers(locked.transaction, [{ deviceId: record.deviceId, vehicleId }])
    touched.push({ accountId, vehicleId, timeMs: trip.startMs, tripId: trip.id })
  }
  return touched
}

/** @param isStored its row was just written with the whole route */
export function openTrip(trip: DerivedTrip, isStored: boolean): OpenTrip {
  const { endMs, silentFromMs, distanceM, durationS, meters, route } = trip
  return { endMs, silentFromMs, distanceM, durationS, meters, route: isStored ? undefined : route }
}
