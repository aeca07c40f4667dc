import { lockVehicles } from '../../../db/shards/vehicle-shards.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { rebuildDaysOf } from '../../days/rebuild-days.ts'
import { refreshDays, type TouchedDay } from '../../days/refresh-days.ts'
import { reconcileAllOverlaps, reconcileOverlaps } from './overlaps/reconcile-overlaps.ts'

/** A trip of this vehicle that begins at this time was added, changed, taken away, opened or closed. */
export interface TouchedTrip extends TouchedDay {
  /** undefined where nothing but the day is to be worked out. */
  readonly tripId?: number | undefined
  /** It was open and is, or nothing of it that a day sums up changed: only what counts beside it may have. */
  readonly isDayAsBefore?: boolean
}

/**
 * Makes right what follows for vehicles of which trips changed: which of overlapping trips count (docs/adr/0017), and the
 * days of statistics (docs/adr/0008). The trips must be written already, and the caller holds the shards of their devices.
 * Call it last in a transaction: the shards of vehicles are taken after all other locks, so that two transactions can not
 * wait for each other.
 */
export async function reconcileVehicles(transaction: Transaction, touched: readonly TouchedTrip[]): Promise<void> {
  if (touched.length === 0) return
  await lockVehicles(
    transaction,
    touched.map(trip => trip.vehicleId),
  )
  // Statements of their own: their snapshots are taken after the lock was given.
  const flipped = await reconcileOverlaps(transaction, [...new Set(touched.flatMap(({ tripId }) => tripId ?? []))])
  await refreshDays(transaction, [...touched.filter(trip => !trip.isDayAsBefore), ...flipped])
}

/** The same for everything of some vehicles, whether it changed or not. It comes last, too. */
export async function rebuildVehicles(transaction: Transaction, vehicleIds: readonly number[]): Promise<void> {
  await lockVehicles(transaction, vehicleIds)
  await reconcileAllOverlaps(transaction, vehicleIds)
  await rebuildDaysOf(transaction, vehicleIds)
}
