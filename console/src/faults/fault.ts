import type { Dtc } from '../api/types.ts'
import type { TimeRange } from '../calendar/days.ts'
import { type CarEntry, numberOfCar, searchable, wordsIn } from '../fleet/car.ts'
import type { Texts } from '../language/language.ts'
import { newestFirst, type SyncedList } from '../live/synced-list.ts'
import type { FaultsSearch } from './faults-search.ts'

/** A fault code as the page shows it. */
export interface Fault extends Dtc {
  readonly carName: string
  readonly makeAndModel: string
  readonly sinceMs: number
  /** The first list of the dongle without the code; undefined while it is in them. */
  readonly goneMs: number | undefined
}

export function faultOf(dtc: Dtc, car: CarEntry | undefined): Fault {
  return {
    ...dtc,
    carName: car?.name ?? numberOfCar(dtc.vehicleId),
    makeAndModel: car?.makeAndModel ?? '',
    sinceMs: Date.parse(dtc.recordedTimestamp),
    goneMs: dtc.deleteTimestamp === null ? undefined : Date.parse(dtc.deleteTimestamp),
  }
}

/** The words of the page for what a fault is found by. */
type FaultWords = Pick<Texts<'faults'>, 'kinds' | 'systems'>

/** Those of a kind that have every word of the search in what their row says. */
export function chosenFaults(faults: readonly Fault[], { search, kind }: FaultsSearch, words: FaultWords) {
  const isFound = wordsIn(search ?? '')
  return faults.filter(fault => (kind === undefined || fault.dtcType === kind) && isFound(searchedText(fault, words)))
}

/** Faults, like words, are of one language. */
const searchedTexts = new WeakMap<Fault, string>()

function searchedText(fault: Fault, words: FaultWords): string {
  const before = searchedTexts.get(fault)
  if (before !== undefined) return before
  const { carName, makeAndModel, vehicleId, code, label, ecuType, dtcType } = fault
  const system = codeSystemOf(code)?.system
  const part = system ? words.systems[system] : ''
  const made = searchable([carName, makeAndModel, vehicleId, code, label, ecuType, words.kinds[dtcType], part])
  searchedTexts.set(fault, made)
  return made
}

/** Faults that have the code or the car in common. */
export interface FaultGroup {
  /** A code or a vehicle id. */
  readonly id: string
  /** The newest first; at least one. */
  readonly faults: readonly [Fault, ...Fault[]]
  readonly cars: number
  readonly codes: number
}

/** Groups of faults, the largest first: most cars with a code, most codes of a car. A fault may be there in several kinds. */
export function groupedBy(by: 'code' | 'car', faults: readonly Fault[]): readonly FaultGroup[] {
  const groups = new Map<string, [Fault, ...Fault[]]>()
  for (const fault of faults) {
    const id = by === 'code' ? fault.code : fault.vehicleId
    const group = groups.get(id)
    if (group) group.push(fault)
    else groups.set(id, [fault])
  }
  const counted = [...groups].map(([id, members]) => ({
    id,
    faults: members,
    cars: new Set(members.map(({ vehicleId }) => vehicleId)).size,
    codes: new Set(members.map(({ code }) => code)).size,
  }))
  const sizeOf = by === 'code' ? ({ cars }: FaultGroup) => cars : ({ codes }: FaultGroup) => codes
  return counted.sort((a, b) => sizeOf(b) - sizeOf(a))
}

/** Codes that are reported now, or those of a time that are no longer. */
export type FaultScope = { readonly view: 'current' } | ({ readonly view: 'history' } & TimeRange)

/** Those of the list that its scope is about, the newest first. */
export function faultsOf(list: SyncedList<Dtc>, scope: FaultScope): readonly Dtc[] {
  const isHistory = scope.view === 'history'
  const dtcs = newestFirst(list, dtc => dtc.recordedTimestamp, isHistory ? scope.toMs : undefined)
  return dtcs.filter(({ recordedTimestamp, deleteTimestamp }) =>
    // One that ends where it began never was: a late list of the dongle took it back.
    isHistory ? deleteTimestamp !== null && deleteTimestamp > recordedTimestamp : deleteTimestamp === null,
  )
}

/** The part of the car that a code is about, by its first letter (SAE J2012, ISO 15031-6). */
type CarSystem = 'powertrain' | 'chassis' | 'body' | 'network'

interface CodeSystem {
  readonly system: CarSystem
  /** Means the same in every car; else its manufacturer says what it means. */
  readonly isGeneric: boolean
}

const SYSTEMS: Readonly<Record<string, CarSystem>> = { P: 'powertrain', C: 'chassis', B: 'body', U: 'network' }

/** P3 is divided between manufacturers (P30 to P33) and the standard; elsewhere the second character decides. */
const GENERIC = /^(P0|P2|P3[4-9A-F]|[CBU]0|[CBU]3)/

/**
 * What the characters of a trouble code mean (SAE J2012, ISO 15031-6, *Structure of codes*). They do not tell how
 * serious a fault is.
 *
 * @returns undefined for what is no code of five characters such as P0301
 */
export function codeSystemOf(code: string): CodeSystem | undefined {
  if (!/^[PCBU][0-3][0-9A-F]{3}$/.test(code)) return undefined
  const system = SYSTEMS[code.charAt(0)]
  return system && { system, isGeneric: GENERIC.test(code) }
}
