import { SampleLayout } from '../../model/sample.ts'
import type { LatestValues } from '../latest-values/derive/latest-values.ts'
import { parseState, serialiseState } from '../trips/derive/state.ts'
import { type CurrentTrip, type DerivedSoFar, type LatestRow, latestArrays, latestValuesOf } from './device-records.ts'
import type { DeviceUpdate } from './device-updates.ts'

/**
 * What is derived of a device, as its rows have it: a few texts and arrays. Many small objects that live until its next record would keep
 * the garbage collector busy (docs/adr/0030).
 */
export interface PackedDerived {
  readonly extent: DerivedSoFar['extent']
  readonly latest: readonly Omit<LatestRow, 'device_id'>[]
  /** As `serialiseState` writes it. */
  readonly fold: string | undefined
  readonly trip: CurrentTrip | undefined
}

/** @param fold its state, as `serialiseState` writes it */
export function packed(
  { extent, latestByVehicle, trip }: Omit<DerivedSoFar, 'fold'>,
  fold: string | undefined,
): PackedDerived {
  const latest: PackedDerived['latest'][number][] = []
  for (const [vehicleId, values] of latestByVehicle) latest.push(packedValues(vehicleId, values))
  return { extent, latest, fold, trip }
}

/** What is derived of a device once an update of it is written: what reading its record again would give. */
export function packedAfter(before: DerivedSoFar, { extent, fold, latest }: DeviceUpdate): PackedDerived {
  const latestByVehicle = new Map(before.latestByVehicle)
  for (const { vehicleId, values } of latest) latestByVehicle.set(vehicleId, values)
  if (!fold) return packed({ ...before, extent, latestByVehicle }, before.fold && serialiseState(before.fold))
  const trip = fold.trip && { id: fold.trip.id, startMs: fold.trip.startMs, isOpen: fold.trip.open !== undefined }
  return packed({ extent, latestByVehicle, trip }, fold.state)
}

export function unpacked({ extent, latest, fold, trip }: PackedDerived): DerivedSoFar {
  const latestByVehicle = new Map<number, LatestValues>()
  for (const row of latest) latestByVehicle.set(row.vehicle_id, latestValuesOf(row))
  return { extent, latestByVehicle, fold: fold === undefined ? undefined : parseState(fold), trip }
}

/** The types of most dongles are those of others: one array for all. */
function packedValues(vehicleId: number, values: LatestValues): PackedDerived['latest'][number] {
  const { types, times, numbers, texts } = latestArrays(values)
  return { vehicle_id: vehicleId, types: SampleLayout.of(types).types, times, numbers, texts }
}
