import { CAN_ADAPTER_ROWS } from './can-adapter.ts'
import { CAR_ROWS } from './car.ts'
import { PERMANENT_ROWS } from './permanent.ts'
import type { AvlRow, Family } from './row.ts'

export type { AvlRow, CombinedRow, Element, Family } from './row.ts'

/** Every known AVL id. Of several rows for one event type, the first whose elements are in the record is used. */
export const AVL_ROWS: readonly AvlRow[] = [...PERMANENT_ROWS, ...CAR_ROWS, ...CAN_ADAPTER_ROWS]

/** Ids that repeat what every record contains anyway: 24, the GPS speed. */
export const REPEATING_IDS: ReadonlySet<number> = new Set([24])

/** @param hardwareType the model, for example `FMB003`; empty when it is not known */
export function familyOf(hardwareType: string): Family {
  if (/^F[A-Z]{2}6\d\d/.test(hardwareType)) return 'professional'
  return /^F[A-Z]{2}[1-9]/.test(hardwareType) ? 'tracker' : 'dongle'
}

export function rowsOf(family: Family): readonly AvlRow[] {
  return AVL_ROWS.filter(({ families }) => families.includes(family))
}
