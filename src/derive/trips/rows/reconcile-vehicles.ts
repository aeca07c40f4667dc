import { lockVehicles } from '../../../db/shards.ts'
import type { LastWork, Transaction } from '../../../db/transaction.ts'
import { rebuildDaysOf, refreshDays, type TouchedDay } from '../../days/vehicle-days.ts'
import { reconcileAllOverlaps, reconcileOverlaps } from './overlaps/reconcile-overlaps.ts'

/** A trip of this vehicle that begins at this time was added, changed, retracted, opened or closed. */
export interface TouchedTrip extends TouchedDay {
  /** Undefined if only the day must be recalculated. */
  readonly tripId?: number | undefined
  /** It was open and still is, or nothing that the day's sums include changed. Which overlapping trip counts may have changed. */
  readonly isDayAsBefore?: boolean
}

/** A whole vehicle, whether anything changed or not. */
interface WholeVehicle {
  readonly vehicleId: number
  readonly isWhole: true
}

/**
 * Updates vehicles after their trips changed: which of overlapping trips count (docs/adr/0017), and the days of statistics
 * (docs/adr/0008). Runs last in a transaction: shards of vehicles are locked after all other locks, so that transactions can not
 * deadlock.
 */
const VEHICLES: LastWork<TouchedTrip | WholeVehicle> = {
  async run(transaction, items) {
    const touched: TouchedTrip[] = []
    const whole = new Set<number>()
    for (const item of items) {
      if ('isWhole' in item) whole.add(item.vehicleId)
      else touched.push(item)
    }
    const held = await lockVehicles(
      transaction,
      items.map(({ vehicleId }) => vehicleId),
    )
    // Separate statements, so that their snapshots are taken after the lock was granted.
    if (whole.size > 0) await reconcileAllOverlaps(held, [...whole])
    const flipped = await reconcileOverlaps(held, [...new Set(touched.flatMap(({ tripId }) => tripId ?? []))])
    await refreshDays(held, [...touched.filter(trip => !trip.isDayAsBefore), ...flipped])
    if (whole.size > 0) await rebuildDaysOf(held, [...whole])
  },
}

/** Registers written trips: their vehicles are updated at the end of the transaction, which holds their devices. */
export function touchTrips(transaction: Transaction, touched: readonly TouchedTrip[]): void {
  transaction.leave(VEHICLES, touched)
}

/** Registers whole vehicles. */
export function touchVehicles(transaction: Transaction, vehicleIds: readonly number[]): void {
  transaction.leave(
    VEHICLES,
    vehicleIds.map(vehicleId => ({ vehicleId, isWhole: true })),
  )
}
