import { type Folded, serialiseState, tripStartMs, withStoredRoute } from '../../derive/trips/fold.ts'
import type { DerivedTrip } from '../../derive/trips/trip.ts'
import type { DeviceId } from '../../intake/sample.ts'
import { assignmentAt, type CurrentTrip, type DeviceRecord } from '../fleet/device-records.ts'
import type { FoldUpdate, OpenTrip } from '../fleet/device-updates.ts'
import { refreshDays } from '../rollups/refresh-days.ts'
import type { Transaction } from '../transaction.ts'
import { writeCheckpoints } from './checkpoints.ts'
import { isOpenAt } from './open-trips.ts'
import { restampDrivers } from './restamp-drivers.ts'
import { retractTrips, type TripWrite, writeTrips } from './trip-rows.ts'
import { writeVinRuns } from './vin-runs.ts'

/** What the samples of one device told, in order, and what was stored of it before. */
export interface DeviceFold {
  readonly record: DeviceRecord
  readonly folded: Folded
}

/** An open trip's route is moved into its row when it has grown to so many characters: some 300 fixes. */
const ROUTE_MOVES_AT = 1000

interface TripPlan {
  readonly write: TripWrite
  readonly row: CurrentTrip | undefined
  /** Its row is left alone: it was open and stays so. */
  readonly isLeftAlone: boolean
}

/**
 * Writes what samples in order told of trips: the rows that must change, checkpoints, VIN runs. While a trip is open
 * its row is left alone; what changes of it is in the result.
 * @param nowMs by the clock of the database
 * @returns where the fold of each device stands then, for its row in `device_states`.
 */
export async function writeFolds(
  transaction: Transaction,
  folds: readonly DeviceFold[],
  nowMs: number,
): Promise<Map<DeviceId, FoldUpdate>> {
  if (folds.length === 0) return new Map()
  const plans = folds.flatMap(deviceFold => planTrips(deviceFold, nowMs))
  const idByTrip = await writeRows(transaction, plans)
  for (const { record, folded } of folds)
    if (record.trip && !folded.trips.some(trip => trip.startMs === record.trip?.startMs))
      await retractTrips(transaction, record.deviceId, [record.trip.id])
  await writeCheckpoints(
    transaction,
    folds.flatMap(({ record: { deviceId }, folded }) => folded.checkpoints.map(item => ({ deviceId, ...item }))),
  )
  const withNewRuns = await writeVinRuns(
    transaction,
    folds.flatMap(({ record: { deviceId }, folded }) => folded.vinRuns.map(run => ({ deviceId, ...run }))),
  )
  const planByTrip = new Map(plans.map(plan => [plan.write.trip, plan]))
  return new Map(
    folds.map(({ record: { deviceId }, folded }) => {
      const startMs = tripStartMs(folded.state)
      const trip = folded.trips.find(item => item.startMs === startMs)
      const id = trip && idByTrip.get(trip)
      const plan = trip && planByTrip.get(trip)
      const isStored = plan !== undefined && !plan.isLeftAlone
      return [
        deviceId,
        {
          state: serialiseState(isStored ? withStoredRoute(folded.state) : folded.state),
          trip:
            trip && plan && id !== undefined
              ? { id, startMs: trip.startMs, open: plan.write.isOpen ? openTrip(trip, isStored) : undefined }
              : undefined,
          assignmentsDue: withNewRuns.has(deviceId),
        },
      ]
    }),
  )
}

function planTrips({ record, folded }: DeviceFold, nowMs: number): TripPlan[] {
  return folded.trips.flatMap(trip => {
    const assignment = assignmentAt(record, trip.startMs)
    if (!assignment) return []
    const { accountId, vehicleId } = assignment
    const row = record.trip?.startMs === trip.startMs ? record.trip : undefined
    const isOpen = isOpenAt(trip, nowMs)
    return {
      write: { deviceId: record.deviceId, accountId, vehicleId, tripId: row?.id, trip, isOpen },
      row,
      isLeftAlone: isOpen && row?.isOpen === true && !folded.mustStoreRoute && trip.route.text.length < ROUTE_MOVES_AT,
    }
  })
}

/** @returns the id of each trip's row. */
async function writeRows(
  transaction: Transaction,
  plans: readonly TripPlan[],
): Promise<ReadonlyMap<DerivedTrip, number>> {
  const written = plans.filter(plan => !plan.isLeftAlone)
  const results = await writeTrips(
    transaction,
    written.map(plan => plan.write),
  )
  await restampDrivers(
    transaction,
    written.filter(({ write, row }) => write.isOpen !== (row?.isOpen ?? false)).map(({ write }) => write),
  )
  await refreshDays(
    transaction,
    written
      .filter(({ write }, index) => results[index]?.isChanged && !write.isOpen)
      .map(({ write: { accountId, vehicleId, trip } }) => ({ accountId, vehicleId, timeMs: trip.startMs })),
  )
  const idByTrip = new Map<DerivedTrip, number>()
  for (const { write, row } of plans) if (row) idByTrip.set(write.trip, row.id)
  written.forEach(({ write }, index) => {
    const id = results[index]?.id
    if (id !== undefined) idByTrip.set(write.trip, id)
  })
  return idByTrip
}

/** @param isStored its row has just been written with all of the route */
export function openTrip(trip: DerivedTrip, isStored: boolean): OpenTrip {
  const { endMs, distanceM, durationS, meters, route } = trip
  return { endMs, distanceM, durationS, meters, route: isStored ? undefined : route }
}
