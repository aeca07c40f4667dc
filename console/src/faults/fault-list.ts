import type { Dtc } from '../api/types.ts'
import type { TimeRange } from '../calendar/days.ts'

/** Codes that are reported now, or those of a time that are no longer. */
export type FaultScope = { readonly view: 'current' } | ({ readonly view: 'history' } & TimeRange)

/**
 * What is known of a scope's codes, kept as a syncing client keeps it (decisions.md, *Sync*): deleted ones too, so that
 * an older reply cannot bring them back.
 */
export interface FaultList {
  readonly dtcs: ReadonlyMap<string, Dtc>
  /** There are older ones that were not read. */
  readonly isCut: boolean
  /** The filter that gives what changes from now on. */
  readonly modifyTimestamp: string
}

/** A copy of the known codes with others, each as it was last changed. */
export function merged(known: ReadonlyMap<string, Dtc> | undefined, given: readonly Dtc[]): ReadonlyMap<string, Dtc> {
  const dtcs = new Map(known)
  for (const dtc of given) {
    const before = dtcs.get(dtc.id)
    if (!before || before.modifyTimestamp <= dtc.modifyTimestamp) dtcs.set(dtc.id, dtc)
  }
  return dtcs
}

/** Those of the list that its scope is about, the newest first. */
export function faultsOf(list: FaultList, scope: FaultScope): readonly Dtc[] {
  return [...list.dtcs.values()].filter(dtc => isIn(dtc, scope)).sort(newestFirst)
}

function isIn({ recordedTimestamp, deleteTimestamp }: Dtc, scope: FaultScope): boolean {
  if (scope.view === 'current') return deleteTimestamp === null
  // One that ends where it began never was: a late list of the dongle took it back.
  if (deleteTimestamp === null || deleteTimestamp <= recordedTimestamp) return false
  const recordedMs = Date.parse(recordedTimestamp)
  return recordedMs >= scope.fromMs && recordedMs <= (scope.toMs ?? Number.POSITIVE_INFINITY)
}

/** Instants of the API are UTC texts of one length, so they are in order as texts. */
function newestFirst(a: Dtc, b: Dtc): number {
  if (a.recordedTimestamp !== b.recordedTimestamp) return a.recordedTimestamp < b.recordedTimestamp ? 1 : -1
  return Number(b.id) - Number(a.id)
}
