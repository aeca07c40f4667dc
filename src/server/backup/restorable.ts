import { type Base, listBases, readBase } from './bases.ts'
import type { BackupFolder } from './folder.ts'
import { segmentAt, segmentBefore } from './segments.ts'
import { listLines, listSegments, readArchived } from './wal-line.ts'

/** A base backup, and the instants to which the write-ahead log leads from it. */
export interface Restorable {
  readonly base: Base
  /** Every instant from `base.finishedMs` to here can be restored; in milliseconds since 1970. */
  readonly untilMs: number
  /** The segments that lead there. */
  readonly segments: Awaited<ReturnType<typeof listSegments>>
}

/** What can be restored, oldest backup first; those without the log that they need are left out. */
export async function readRestorable(folder: BackupFolder): Promise<Restorable[]> {
  const lines = new Set(await listLines(folder))
  const found: Restorable[] = []
  for (const time of await listBases(folder)) {
    const base = await readBase(folder, time)
    if (!lines.has(base.line)) continue
    const all = await listSegments(folder, base.line)
    const segments = unbrokenFrom(all, segmentAt(base.startLsn))
    const last = segments.at(-1)
    if (!last || last.segment < segmentBefore(base.stopLsn)) continue
    const archived = last === all.at(-1) ? await readArchived(folder, base.line) : undefined
    found.push({ base, segments, untilMs: Math.max(base.finishedMs, archived?.untilMs ?? 0) })
  }
  return found
}

function unbrokenFrom<T extends { readonly segment: number }>(segments: readonly T[], first: number): T[] {
  const later = segments.filter(({ segment }) => segment >= first)
  const end = later.findIndex(({ segment }, index) => segment !== first + index)
  return end === -1 ? later : later.slice(0, end)
}

/**
 * The backup to begin with: the newest one from which the log leads to the instant.
 * @param toMs undefined for the newest state there is
 */
export function chooseRestorable(all: readonly Restorable[], toMs: number | undefined): Restorable | undefined {
  if (toMs !== undefined) return all.findLast(({ base, untilMs }) => base.finishedMs <= toMs && toMs <= untilMs)
  const newestMs = Math.max(...all.map(({ untilMs }) => untilMs))
  return all.findLast(({ untilMs }) => untilMs === newestMs)
}

/** Unbroken stretches of instants, oldest first: `[from, to]` in milliseconds since 1970. */
export function stretches(all: readonly Restorable[]): [number, number][] {
  const merged: [number, number][] = []
  for (const { base, untilMs } of all) {
    const last = merged.at(-1)
    if (last && base.finishedMs <= last[1]) last[1] = Math.max(last[1], untilMs)
    else merged.push([base.finishedMs, untilMs])
  }
  return merged
}
