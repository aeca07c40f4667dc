import { sql } from '../../../db/sql.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { reviseVehicles } from '../../device-records/revise-vehicles.ts'
import { rederiveDtcs } from '../../dtcs/rows/rederive.ts'
import { refreshFuelTypes } from '../../identity/write-identity.ts'
import { touchTrips } from '../../trips/rows/reconcile-vehicles.ts'
import type { DeviceAssignments, VehicleSpan } from './assignment-rows.ts'
import { moveDtcs } from './move-dtcs.ts'
import { moveLatestValues } from './move-latest-values.ts'
import { moveTrips } from './move-trips.ts'

/** After the assignments of a device changed: whatever belongs to a vehicle by its time goes to the right one. */
export async function moveWhatFollows(
  transaction: Transaction,
  before: DeviceAssignments,
  spans: readonly VehicleSpan[],
): Promise<void> {
  const { deviceId } = before
  const changed = changedVehicles(before.spans, spans)
  const movedTrips = await moveTrips(transaction, deviceId, spans)
  await moveDtcs(transaction, deviceId, spans)
  await rederiveDtcs(transaction, deviceId, spans)
  await moveLatestValues(transaction, deviceId, spans, changed)
  await refreshFuelTypes(transaction, changed)
  // They show other dongles, other latest values, another trip in progress.
  await reviseVehicles(transaction, changed)
  const isElsewhereNow = before.spans.at(-1)?.vehicleId !== spans.at(-1)?.vehicleId
  if (isElsewhereNow || movedTrips.some(trip => trip.isOpen)) await reviseDevice(transaction, before)
  touchTrips(
    transaction,
    movedTrips.flatMap(({ from, to, startMs }) => [from, to].map(place => ({ ...place, timeMs: startMs }))),
  )
}

/** Vehicles in which the device is at other times than before. */
function changedVehicles(before: readonly VehicleSpan[], after: readonly VehicleSpan[]): number[] {
  const vehicleIds = [...new Set([...before, ...after].map(({ vehicleId }) => vehicleId))]
  const timesIn = (spans: readonly VehicleSpan[], wanted: number) =>
    spans
      .filter(({ vehicleId }) => vehicleId === wanted)
      .map(({ fromMs, toMs }) => `${fromMs} ${toMs}`)
      .join()
  return vehicleIds.filter(id => timesIn(before, id) !== timesIn(after, id)).sort((a, b) => a - b)
}

/** It shows the vehicle it is in and the trip in progress, which has a new id in another vehicle. */
async function reviseDevice(transaction: Transaction, { deviceId }: DeviceAssignments): Promise<void> {
  await transaction.rows(sql`
    update devices set modified = ${await transaction.takeRevisions(1)}::timestamptz where id = ${deviceId}`)
}
