import { readClockMs } from '../../db/clock.ts'
import type { LockedDevice } from '../../db/shards/locked-devices.ts'
import { holdKeptSince } from '../../store/index.ts'
import { assignmentAt, type DeviceRecord, readDeviceRecords } from '../device-records/device-records.ts'
import type { FoldUpdate } from '../device-records/device-updates.ts'
import { writeFoldStates } from '../device-records/fold-states.ts'
import { FACTS } from '../facts.ts'
import { vinRunOf, withStoredRoute } from '../trips/derive/fold.ts'
import { type FoldState, serialiseState, type VinRun } from '../trips/derive/state.ts'

import { type DerivedTrip } from '../trips/derive/trip.ts'
import { deleteCheckpointsBetween, writeCheckpoints } from '../trips/rows/checkpoints.ts'
import { isShared, lockWhereShared } from '../trips/rows/overlaps/shared-vehicles.ts'
import { type TouchedTrip, touchTrips } from '../trips/rows/reconcile-vehicles.ts'
import { reviseDrivers } from '../trips/rows/revise-drivers.ts'
import { isSilentAt } from '../trips/rows/silence.ts'
import { readStoredTrips, type StoredTrip } from '../trips/rows/stored-trips.ts'
import { retractTrips, type WrittenTrip, writeTrips } from '../trips/rows/trip-rows.ts'
import { deleteVinRuns, readVinRuns, writeVinRuns } from '../trips/rows/vin-runs.ts'
import { openTrip } from '../trips/rows/write-folds.ts'
import { foldAgain } from './fold-again.ts'
import type { FoldedAgain } from './folding.ts'
import { matchTrips } from './match-trips.ts'

/** What changed. */
export interface RefoldResult {
  readonly changedTrips: readonly { readonly trip: DerivedTrip; readonly row: StoredTrip | undefined }[]
  readonly retractedTrips: readonly StoredTrip[]
  readonly areVinRunsChanged: boolean
}

const NOTHING_CHANGED: RefoldResult = { changedTrips: [], retractedTrips: [], areVinRunsChanged: false }

/**
 * Refolds the trips of a device where its samples changed, and writes every difference.
 * @param changed from the oldest to the newest instant that changed, infinite for everything
 */
export async function refold(
  locked: LockedDevice,
  changed: { readonly fromMs: number; readonly toMs: number },
): Promise<RefoldResult> {
  const { transaction, deviceId } = locked
  const record = (await readDeviceRecords(transaction, [deviceId])).get(deviceId)
  if (!record) return NOTHING_CHANGED
  const keptSinceMs = await holdKeptSince(transaction)
  const again = await foldAgain(transaction, deviceId, { ...changed, keptSinceMs, context: record })
  return again ? writeFoldedAgain(locked, record, again) : NOTHING_CHANGED
}

/**
 * Writes every difference between a refolded stretch and the stored data.
 * @param record as it is now
 */
export async function writeFoldedAgain(
  locked: LockedDevice,
  record: DeviceRecord,
  again: FoldedAgain,
): Promise<RefoldResult> {
  const { transaction, deviceId } = locked
  const nowMs = await readClockMs(transaction)
  const trips = await writeDifferences(locked, record, again, nowMs)
  await replaceCheckpoints(locked, again)
  const areVinRunsChanged = await replaceVinRuns(locked, again)
  for (const { name, inOrder } of FACTS) {
    const stretch = again.stretches.get(name)
    if (stretch) await inOrder?.write(locked, [{ device: record, ...stretch }])
  }
  if (again.end.kind === 'newest sample')
    await writeFoldStates(locked, new Map([[deviceId, foldUpdate(again, again.end.state, trips.ids, nowMs)]]))
  const { changed: changedTrips, retracted: retractedTrips } = trips
  return { changedTrips, retractedTrips, areVinRunsChanged }
}

async function writeDifferences(locked: LockedDevice, record: DeviceRecord, again: FoldedAgain, nowMs: number) {
  const { transaction, deviceId } = locked
  const rows = (await readStoredTrips(transaction, deviceId, again.from.tripsMs, again.tripsToMs)).filter(
    row => row.startMs !== again.goingOnMs,
  )
  const { kept, retracted: vanished } = matchTrips(again.trips, rows)
  const writes = kept.flatMap(({ trip, row: matched }) => {
    const assignment = assignmentAt(record, trip.startMs)
    if (!assignment) return []
    const { accountId, vehicleId } = assignment
    // Clients that sync the other vehicle must learn that the trip left it (docs/adr/0009).
    const row = matched?.vehicleId === vehicleId && matched.accountId === accountId ? matched : undefined
    return [{ deviceId, accountId, vehicleId, tripId: row?.id, trip, isOpen: isOpenAt(trip, nowMs), row }]
  })
  const goingOn = new Set(writes.map(({ row }) => row))
  const retracted = [...vanished, ...kept.flatMap(({ row }) => (row && !goingOn.has(row) ? [row] : []))]
  await lockWhereShared(transaction, [
    { record, startsMs: [...writes.map(({ trip }) => trip.startMs), ...rows.map(row => row.startMs)] },
  ])
  const written = await writeTrips(locked, writes)
  await retractTrips(
    locked,
    retracted.map(row => row.id),
  )
  const changed = writes.filter((_, index) => written[index]?.isChanged)
  await reviseDrivers(transaction, [
    ...writes.filter(({ isOpen, row }) => isOpen !== (row?.isOpen ?? false)),
    ...retracted.filter(row => row.isOpen).map(row => ({ deviceId, vehicleId: row.vehicleId })),
  ])
  touchTrips(transaction, [
    ...[...changed.flatMap(({ row }) => row ?? []), ...retracted].map(({ id, startMs, ...place }) =>
      touchedTrip(place, startMs, id),
    ),
    ...writes.flatMap(({ trip, ...place }, index) => {
      const { id, isChanged } = written[index] ?? {}
      if (!isChanged && !isShared(record, trip.startMs)) return []
      return { ...touchedTrip(place, trip.startMs, id), isDayAsBefore: !isChanged }
    }),
  ])
  return { ids: idsByTrip(writes, written), changed, retracted }
}

function touchedTrip(
  { accountId, vehicleId }: { readonly accountId: number; readonly vehicleId: number },
  timeMs: number,
  tripId: number | undefined,
): TouchedTrip {
  return { accountId, vehicleId, timeMs, tripId }
}

function idsByTrip(
  writes: readonly { readonly trip: DerivedTrip }[],
  written: readonly WrittenTrip[],
): ReadonlyMap<DerivedTrip, number> {
  return new Map(writes.flatMap(({ trip }, index) => (written[index] ? [[trip, written[index].id]] : [])))
}

async function replaceCheckpoints(locked: LockedDevice, again: FoldedAgain): Promise<void> {
  const { deviceId } = locked
  await deleteCheckpointsBetween(locked, again.from.afterMs, again.toMs)
  await writeCheckpoints(
    locked,
    again.checkpoints.map(checkpoint => ({ deviceId, ...checkpoint })),
  )
}

/** @returns whether any run changed. */
async function replaceVinRuns(locked: LockedDevice, again: FoldedAgain): Promise<boolean> {
  const { transaction, deviceId } = locked
  const before = await readVinRuns(transaction, deviceId, again.from.runsMs, again.toMs)
  const now = again.vinRuns.map(run => asStoredBeyond(run, again, before))
  const gone = before.filter(run => !now.some(({ firstMs }) => firstMs === run.firstMs)).map(run => run.firstMs)
  await deleteVinRuns(locked, gone)
  const changed = await writeVinRuns(
    locked,
    now.map(run => ({ deviceId, ...run })),
  )
  return gone.length > 0 || changed.size > 0
}

/** A run that continues after the stretch may have been confirmed, or bounded, there. */
function asStoredBeyond(run: VinRun, { end }: FoldedAgain, before: readonly VinRun[]): VinRun {
  if (end.kind === 'newest sample' || vinRunOf(end.state)?.firstMs !== run.firstMs) return run
  return before.find(item => item.firstMs === run.firstMs) ?? run
}

function isOpenAt(trip: DerivedTrip, nowMs: number): boolean {
  return trip.isRunning && !isSilentAt(trip, nowMs)
}

function foldUpdate(
  { trips, openStartMs }: FoldedAgain,
  state: FoldState,
  ids: ReadonlyMap<DerivedTrip, number>,
  nowMs: number,
): FoldUpdate {
  const trip = trips.find(item => item.startMs === openStartMs)
  const id = trip && ids.get(trip)
  return {
    state: serialiseState(id === undefined ? state : withStoredRoute(state)),
    trip:
      trip && id !== undefined
        ? { id, startMs: trip.startMs, open: isOpenAt(trip, nowMs) ? openTrip(trip, true) : undefined }
        : undefined,
    assignmentsDue: false,
  }
}
