import type { LockedDevice, LockedDevices } from '../db/shards.ts'
import type { Transaction } from '../db/transaction.ts'
import type { DeviceId, Sample } from '../model/sample.ts'
import type { DerivedRow } from './derived-rows.ts'
import type { Assignment, DeviceRecord } from './device-records.ts'
import type { DecidedItem, FoldContext, FoldItem, FoldPart, Json } from './fold-part.ts'
import type { LatestValues } from './latest-values/latest-values.ts'

/** A kind of thing that follows from samples, such as trips or trouble codes. facts.ts lists them all. */
export interface Fact {
  readonly name: string
  /** The part that needs samples in the order of time, both live and when they are folded again. */
  readonly inOrder?: {
    /** @returns undefined where nothing follows in that context */
    readonly part: (context: FoldContext) => FoldPart<Json, FoldItem> | undefined
    readonly write: (locked: LockedDevices, ranges: readonly FoldedRange[]) => Promise<void>
  }
  /** Writes what follows from changed samples, in whatever order they came. What the facts before it write is written already. */
  readonly follow?: (locked: LockedDevices, devices: readonly DerivedDevice[]) => Promise<void>
  /** Ends what goes on at dongles that have been silent for so long, unless later samples show something else. */
  readonly silence?: (locked: LockedDevices) => Promise<void>
  /** Takes along what belongs to a car by its time, when a dongle proves to have been in other cars than was known. */
  readonly move?: (locked: LockedDevice, move: Move) => Promise<void>
  /** Computes again what follows from all samples of a device, and writes what differs. */
  readonly rebuild?: (locked: LockedDevice, assignments: readonly Assignment[]) => Promise<void>
  /** Empties the rows of a deleted device. They stay, marked as deleted, for clients that sync. */
  readonly erase?: (locked: LockedDevice) => Promise<void>
  /** All of a device, as clients see it: what `tacho rebuild --check` compares. */
  readonly readDerived?: (transaction: Transaction, deviceId: DeviceId) => Promise<readonly DerivedRow[]>
}

export interface DerivedDevice {
  /** As it was before. */
  readonly record: DeviceRecord
  /** The samples that changed, ascending by time, as they are stored. */
  readonly samples: readonly Sample[]
  /** Something arrived from it. */
  readonly isReceived: boolean
  /** The latest values that changed, by vehicle: the fact of that name adds them, for those behind it. */
  readonly latest: Map<number, LatestValues>
}

export interface Move {
  /** Where the device was, by all that is known now. */
  readonly assignments: readonly Assignment[]
  /** Vehicles in which it was at other times than was known, ascending. */
  readonly vehicleIds: readonly number[]
  /** Before this instant it was where it was known to be. */
  readonly fromMs: number
}

/** Exactly the items that samples from `decidedFromMs` until `toMs` decided, and if `toMs`
 * is infinite, those going on. */
export interface FoldedRange {
  readonly device: Pick<DeviceRecord, 'deviceId' | 'assignments' | 'othersUntilMs' | 'rules'>
  readonly decidedFromMs: number
  readonly toMs: number
  readonly items: readonly DecidedItem[]
  /** The keys of items that continue beyond the range. Their rows stay as they are. */
  readonly goingOn: readonly string[]
}
