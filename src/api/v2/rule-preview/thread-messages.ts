import type { RuleBook, RuleVersion } from '../../../derive/incidents/derive/rule-book.ts'
import type { DeviceId } from '../../../model/sample.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import type { FoundIncident, Tally } from './tally.ts'

/** A rule that is tried, and the areas that it may name. */
export interface TriedBook extends RuleBook {
  readonly rule: RuleVersion
}

/** A device, and in which cars it was when: in the order of time. */
export interface DeviceStays {
  readonly deviceId: DeviceId
  readonly stays: readonly StayInCar[]
}

interface StayInCar extends TimeRange {
  readonly vehicleId: number
  readonly publicId: string
  /** Other devices were in this car, too. */
  readonly isShared: boolean
}

/** What was found in some more samples of a device. */
export interface Folded {
  /** So many samples. */
  readonly count: number
  /** In cars with several devices, of which some count. */
  readonly rivals: readonly FoundIncident[]
  /** In other cars. */
  readonly found: Tally
}

/** What a folding thread is told: a rule once, then its devices, some at once, and what it asked of the database. */
export type ToThread =
  | { readonly kind: 'rule'; readonly book: TriedBook }
  | { readonly kind: 'device'; readonly device: DeviceStays }
  | DatabaseAnswer

export type DatabaseAnswer =
  | { readonly kind: 'rows'; readonly id: number; readonly rows: readonly object[] }
  | { readonly kind: 'copied'; readonly id: number; readonly bytes: Uint8Array }

/** What it tells: what it needs of the database, what it found, and that it is done with a device. */
export type FromThread =
  | DatabaseQuestion
  | { readonly kind: 'folded'; readonly deviceId: DeviceId; readonly folded: Folded }
  | { readonly kind: 'done'; readonly deviceId: DeviceId }

export type DatabaseQuestion =
  | {
      readonly kind: 'rows'
      readonly id: number
      readonly text: string
      /** As the driver takes them. */
      readonly values: readonly unknown[]
      readonly prepareAs: string | undefined
    }
  | { readonly kind: 'copied'; readonly id: number; readonly query: string }
