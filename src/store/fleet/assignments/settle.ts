import { type Placement, placeStays } from '../../../derive/vehicles/placement.ts'
import { staysOf } from '../../../derive/vehicles/stays.ts'
import type { DeviceId } from '../../../intake/sample.ts'
import { refreshDays } from '../../rollups/refresh-days.ts'
import type { Transaction } from '../../transaction.ts'
import { readVinRuns } from '../../trips/vin-runs.ts'
import { createVehicle, lockVins } from '../public-ids.ts'
import { type DeviceAssignments, readAssignments, replaceAssignments, type VehicleSpan } from './assignment-rows.ts'
import { readHome, readVehiclesOfVins } from './home-and-vins.ts'
import { inheritSettings } from './inherit-settings.ts'
import { moveWhatFollows } from './move-what-follows.ts'
import { nameHome } from './name-home.ts'
import { keepPlaceholderId, lockUnusedVehicles, readDaysOf, retireVehicles } from './retire.ts'

/**
 * Makes the assignments of a device what its VIN readings say (docs/adr/0009), with everything that follows from them:
 * vehicles are named, made and retired, and trips, fault codes, latest values and statistics move along. The same
 * readings lead to the same state, whatever order they came in; calling it again changes nothing.
 *
 * The caller holds the lane of the device, has written its `vin_runs`, and has not refreshed any day of statistics in
 * this transaction yet: those locks come last.
 */
export async function settleAssignments(transaction: Transaction, deviceId: DeviceId): Promise<void> {
  const before = await readAssignments(transaction, deviceId)
  if (!before) return
  const { accountId } = before
  await lockVins(transaction, accountId)
  const runs = await readVinRuns(transaction, deviceId, before.fromMs, Number.POSITIVE_INFINITY)
  const { vehicleOfVin, operatorVins } = await readVehiclesOfVins(transaction, accountId, [
    ...new Set(runs.map(run => run.vin)),
  ])
  const firstVehicleId = before.spans[0].vehicleId
  const home = await readHome(transaction, { accountId, deviceId, firstVehicleId })
  const placement = placeStays(staysOf(runs, operatorVins), home, vehicleOfVin)

  if (placement.homeVin !== home.vin) await nameHome(transaction, before, home, placement.homeVin)
  const spans = await spansOf(transaction, before, placement)
  await keepPlaceholderId(transaction, before, spans)
  if (isSame(before.spans, spans)) return
  await replaceAssignments(transaction, before, spans)
  const movedTrips = await moveWhatFollows(transaction, before, spans)
  await inheritSettings(transaction, before, spans)
  const unused = await lockUnusedVehicles(transaction, before)
  await refreshDays(transaction, [...movedTrips, ...(await readDaysOf(transaction, accountId, unused))])
  await retireVehicles(transaction, before, spans, unused)
}

/** The placement with vehicles that exist, within the time in which the device is in the account. */
async function spansOf(
  transaction: Transaction,
  { accountId, deviceId, fromMs, toMs }: DeviceAssignments,
  { placed }: Placement,
): Promise<VehicleSpan[]> {
  const created = new Map<string | undefined, number>()
  const spans: VehicleSpan[] = []
  for (const [index, { vehicle, fromMs: placedMs }] of placed.entries()) {
    let vehicleId = vehicle.kind === 'known' ? vehicle.vehicleId : created.get(vehicle.vin)
    if (vehicle.kind === 'new') {
      vehicleId ??= await createVehicle(transaction, { accountId, deviceId, vin: vehicle.vin })
      created.set(vehicle.vin, vehicleId)
    }
    if (vehicleId === undefined) throw new Error('a placement without a vehicle')
    spans.push({
      vehicleId,
      fromMs: Math.max(placedMs, fromMs),
      toMs: Math.min(placed[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY, toMs),
    })
  }
  return spans
}

function isSame(a: readonly VehicleSpan[], b: readonly VehicleSpan[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ vehicleId, fromMs, toMs }, index) => {
      const other = b[index]
      return other?.vehicleId === vehicleId && other.fromMs === fromMs && other.toMs === toMs
    })
  )
}
