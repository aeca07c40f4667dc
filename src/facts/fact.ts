import type { HeldDevice, HeldDevices } from '../db/shards/held-devices.ts'
import type { Transaction } from '../db/transaction.ts'
import type { DeviceId } from '../model/sample.ts'
import type { TimeRange } from '../model/time-range.ts'
import type { DerivedRow } from './derived-rows.ts'
import type { Assignment, DeviceRecord } from './device-records/device-records.ts'
import type { DeviceUpdate } from './device-records/device-updates.ts'
import type { ChangedSeries } from './dtcs/rows/apply-lists.ts'
import type { FoldItem, FoldPart, Json } from './fold-part.ts'
import type { ItemKind } from './items/item-kind.ts'

/**
 * A kind of thing that follows from samples: trips, trouble codes, what a dongle says of itself. facts.ts lists them all.
 */
export interface Fact {
  readonly name: string
  /** What of it needs the samples of a device in the order of time, live and when they are folded again. */
  readonly inOrder?: {
    readonly part: FoldPart<Json, FoldItem>
    readonly write: (held: HeldDevices, stretches: readonly ToldStretch[]) => Promise<void>
  }
  /** Writes what follows from a batch, whose samples, folds and latest values are written already. */
  readonly follow?: (held: HeldDevices, batch: StoredBatch) => Promise<void>
  /** Takes along what belongs to a car by its time, when a dongle proves to have been in other cars than was known. */
  readonly move?: (held: HeldDevice, move: Move) => Promise<void>
  /** Works out anew what follows from all samples of a device, and writes what differs. */
  readonly rebuild?: (held: HeldDevice, assignments: readonly Assignment[]) => Promise<void>
  /** Leaves of a device that is deleted only what tells clients that it is gone. */
  readonly erase?: (held: HeldDevice) => Promise<void>
  /** Where it consists of items: what the API lists of them, and streams carry. */
  readonly items?: ItemKind
  /** All of a device, as clients see it: what `tacho rebuild --check` compares. */
  readonly readDerived?: (transaction: Transaction, deviceId: DeviceId) => Promise<readonly DerivedRow[]>
}

export interface StoredBatch {
  /** The devices as they were before. */
  readonly records: ReadonlyMap<DeviceId, DeviceRecord>
  readonly updates: readonly DeviceUpdate[]
  /** Lists of codes that may change codes. */
  readonly dtcLists: readonly ChangedSeries[]
}

export interface Move {
  /** Where the device was, by all that is known now. */
  readonly assignments: readonly Assignment[]
  /** Vehicles in which it was at other times than was known, ascending. */
  readonly vehicleIds: readonly number[]
}

/** What the samples of a device tell of a stretch of time: the items that begin in it, and no others. */
export interface ToldStretch extends TimeRange {
  readonly device: Pick<DeviceRecord, 'deviceId' | 'assignments'>
  readonly items: readonly FoldItem[]
  /** The starts of items that go on behind the stretch, where nothing of them changed: their rows stay as they are. */
  readonly goingOnMs: readonly number[]
}
