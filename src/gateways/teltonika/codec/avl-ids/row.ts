import type { EventTypeName } from '../../../../catalogue/event-types.ts'
/**
 * Kinds of devices among which AVL ids differ in meaning: dongles for the diagnostic connector (FMB001, FMB003, FMC003,
 * FMM003, FM3001 and their like, and whoever did not say what it is); wired trackers of the same platform, to which a
 * CAN adapter can be connected (FMB120, FMC130 …); professional trackers (FMB630, FMC650 …).
 */
export type Family = 'dongle' | 'tracker' | 'professional'

/** An element of fixed size. The same AVL id with another size means something else. */
export interface Element {
  readonly id: number
  readonly bytes: readonly number[]
  readonly isSigned: boolean
}

interface Row {
  readonly families: readonly Family[]
  readonly eventType: EventTypeName
}

/** A number in our unit. Values out of bounds mean "not available". */
interface NumberRow extends Row {
  readonly kind: 'number'
  readonly element: Element
  /** Raw values, both inclusive. */
  readonly least: number
  readonly most: number
  /** How much of the raw value is one of our units: 1000 for millivolts. */
  readonly perUnit: number
}

/** Raw values with a meaning each; those not listed mean "not available". */
interface StateRow extends Row {
  readonly kind: 'state'
  readonly element: Element
  readonly states: Readonly<Record<number, boolean>>
}

/** Raw values that stand for texts, by index; an empty text, and higher values, mean "not available". */
interface NamedRow extends Row {
  readonly kind: 'named'
  readonly element: Element
  readonly names: readonly string[]
}

/** Text of variable length, one byte per character. Text that does not match the pattern means "not available". */
interface TextRow extends Row {
  readonly kind: 'text'
  readonly id: number
  readonly pattern: RegExp
}

/** An event made from several elements. */
export interface CombinedRow extends Row {
  readonly kind: 'combined'
  /** Without all of them there is no event. */
  readonly elements: readonly Element[]
  /** Elements that are used, too, if present. */
  readonly optional: readonly Element[]
  /**
   * @param raw the raw values of `elements`, then of `optional`: NaN for a missing one. The array is reused.
   * @returns undefined for "not available"
   */
  readonly valueOf: (raw: readonly number[]) => number | string | undefined
}

export type AvlRow = NumberRow | StateRow | NamedRow | TextRow | CombinedRow

export const unsigned = (id: number, ...bytes: readonly number[]): Element => ({ id, bytes, isSigned: false })
export const signed = (id: number, ...bytes: readonly number[]): Element => ({ id, bytes, isSigned: true })

/** Options of a number besides its element and event type. */
interface Scale {
  readonly least?: number
  readonly most: number
  readonly perUnit?: number
}

/** Makers of rows for the devices of some families. */
export function rowsFor(...families: readonly Family[]) {
  return {
    number: (element: Element, eventType: EventTypeName, { least = 0, most, perUnit = 1 }: Scale): NumberRow => ({
      kind: 'number',
      families,
      element,
      eventType,
      least,
      most,
      perUnit,
    }),
    state: (element: Element, eventType: EventTypeName, states: StateRow['states']): StateRow => ({
      kind: 'state',
      families,
      element,
      eventType,
      states,
    }),
    named: (element: Element, eventType: EventTypeName, names: readonly string[]): NamedRow => ({
      kind: 'named',
      families,
      element,
      eventType,
      names,
    }),
    text: (id: number, eventType: EventTypeName, pattern: RegExp): TextRow => ({
      kind: 'text',
      families,
      id,
      eventType,
      pattern,
    }),
    combined: (
      elements: readonly Element[],
      optional: readonly Element[],
      eventType: EventTypeName,
      valueOf: CombinedRow['valueOf'],
    ): CombinedRow => ({ kind: 'combined', families, elements, optional, eventType, valueOf }),
  }
}

export const OFF_ON: StateRow['states'] = { 0: false, 1: true }
