import { lockVehicles } from '../../../db/shards/vehicle-shards.ts'
import type { LastWork, Transaction } from '../../../db/transaction.ts'
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

/** Everything of a vehicle, whether it changed or not. */
interface WholeVehicle {
  readonly vehicleId: number
  readonly isWhole: true
}

/**
 * Makes right what follows for vehicles of which trips changed: which of overlapping trips count (docs/adr/0017), and the
 * days of statistics (docs/adr/0008). It comes last in a transaction: the shards of vehicles are taken after all other
 * locks, so that two transactions can not wait for each other.
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
    // Statements of their own: their snapshots are taken after the lock was given.
    if (whole.size > 0) await reconcileAllOverlaps(held, [...whole])
    const flipped = await reconcileOverlaps(held, [...new Set(touched.flatMap(({ tripId }) => tripId ?? []))])
    await refreshDays(held, [...touched.filter(trip => !trip.isDayAsBefore), ...flipped])
    if (whole.size > 0) await rebuildDaysOf(held, [...whole])
  },
}

/** Trips were written: what follows for their vehicles is made right at the end of the transaction, which holds their devices. */
export function touchTrips(transaction: Transaction, touched: readonly TouchedTrip[]): void {
  transaction.leave(VEHICLES, touched)
}

/** The same for everything of some vehicles. */
export function touchVehicles(transaction: Transaction, vehicleIds: readonly number[]): void {
  transaction.leave(
    VEHICLES,
    vehicleIds.map(vehicleId => ({ vehicleId, isWhole: true })),
  )
}
