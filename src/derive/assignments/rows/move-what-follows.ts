import type { LockedDevice } from '../../../db/shards/locked-devices.ts'
import { reviseDevice, reviseVehicles } from '../../device-records/revise-vehicles.ts'
import { type Assignment, assignmentAt } from '../../device-records.ts'
import { FACTS } from '../../facts.ts'
import type { DeviceAssignments } from './assignment-rows.ts'

/** Called after the assignments of a device changed: moves everything to the vehicle in which the device was at its time. */
export async function moveWhatFollows(
  locked: LockedDevice,
  before: DeviceAssignments,
  spans: readonly Assignment[],
): Promise<void> {
  const vehicleIds = changedVehicles(before.spans, spans)
  const fromMs = firstDifferenceMs(before.spans, spans)
  for (const { move } of FACTS) await move?.(locked, { assignments: spans, vehicleIds, fromMs })
  // They now show other dongles, latest values, or trips in progress.
  await reviseVehicles(locked.transaction, vehicleIds)
  if (before.spans.at(-1)?.vehicleId !== spans.at(-1)?.vehicleId) await reviseDevice(locked)
}

/** The first instant at which the device was in another vehicle than was known. */
function firstDifferenceMs(before: readonly Assignment[], after: readonly Assignment[]): number {
  const boundariesMs = [...before, ...after].flatMap(({ fromMs, toMs }) => [fromMs, toMs])
  const isElsewhere = (timeMs: number) => {
    const [former, now] = [assignmentAt({ assignments: before }, timeMs), assignmentAt({ assignments: after }, timeMs)]
    return former?.vehicleId !== now?.vehicleId || former?.accountId !== now?.accountId
  }
  return Math.min(...boundariesMs.filter(isElsewhere))
}

/** Vehicles whose times with the device changed. */
function changedVehicles(before: readonly Assignment[], after: readonly Assignment[]): number[] {
  const vehicleIds = [...new Set([...before, ...after].map(({ vehicleId }) => vehicleId))]
  const timesIn = (spans: readonly Assignment[], wanted: number) =>
    spans
      .filter(({ vehicleId }) => vehicleId === wanted)
      .map(({ fromMs, toMs }) => `${fromMs} ${toMs}`)
      .join()
  return vehicleIds.filter(id => timesIn(before, id) !== timesIn(after, id)).sort((a, b) => a - b)
}
