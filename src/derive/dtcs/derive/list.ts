import { type EventType, type EventTypeId, requiredEventType } from '../../../catalogue/event-types.ts'
import { type Sample, valueIn } from '../../../model/sample.ts'
import { faultOf, type ReportedCode, readEntry } from './entry.ts'

/** The two kinds of lists: permanent faults, and sporadic ones. */
export const LIST_KINDS = ['PERMANENT', 'SPORADIC'] as const
export type ListKind = (typeof LIST_KINDS)[number]

const EVENT_TYPES: Readonly<Record<ListKind, EventType>> = {
  PERMANENT: requiredEventType('OBD_DTC_PERMANENT'),
  SPORADIC: requiredEventType('OBD_DTC_SPORADIC'),
}

/** The codes that a dongle read from the car at one instant. */
export interface CodeList {
  readonly timeMs: number
  /** Each fault once. */
  readonly codes: readonly ReportedCode[]
}

/** The event type that holds lists of a kind. */
export function listType(kind: ListKind): EventTypeId {
  return EVENT_TYPES[kind].id
}

/** The text of a sample's list, or undefined when it has none of this kind. */
export function listTextIn(sample: Sample, kind: ListKind): string | undefined {
  const text = valueIn(sample, EVENT_TYPES[kind])
  return typeof text === 'string' ? text : undefined
}

/**
 * Reads a list: codes separated by `,` `;` or blanks (decisions.md, *Vehicles and devices*). Entries that are not
 * codes are skipped; if a fault is listed twice, the first entry counts.
 */
export function readList(timeMs: number, text: string): CodeList {
  const codes = new Map<string, ReportedCode>()
  for (const entry of text.split(/[,;\s]+/)) {
    const code = readEntry(entry)
    if (!code) continue
    const fault = faultOf(code)
    if (!codes.has(fault)) codes.set(fault, code)
  }
  return { timeMs, codes: [...codes.values()] }
}
