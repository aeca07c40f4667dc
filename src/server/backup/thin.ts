import { rm } from 'node:fs/promises'
import { type Base, listBases, readBase, removeBase } from './bases.ts'
import type { BackupFolder } from './folder.ts'
import { removePieces } from './pieces.ts'
import { segmentAt, segmentBefore } from './segments.ts'
import { EVERY_INSTANT_MS, keptBackups } from './thinning.ts'
import { listLines, listSegments, removeLine } from './wal-line.ts'

/**
 * Removes the backups that the rule does not keep, and what none of the others needs. Only under the lock of the folder.
 * @param currentLine the line that is archived, if any
 * @returns how many backups were removed
 */
export async function thin(folder: BackupFolder, currentLine: string | undefined, nowMs: number): Promise<number> {
  const times = await listBases(folder)
  const kept = keptBackups(times, nowMs)
  const removed = times.filter(time => !kept.has(time))
  for (const time of removed) await removeBase(folder, time)

  const byLine = new Map<string, Base[]>()
  const pieces = new Set<string>()
  for (const time of [...kept].sort((a, b) => a - b)) {
    const base = await readBase(folder, time)
    byLine.set(base.line, [...(byLine.get(base.line) ?? []), base])
    for (const file of base.files) for (const piece of file.pieces) pieces.add(piece)
  }
  await removePieces(folder, pieces)
  for (const line of await listLines(folder)) {
    const bases = byLine.get(line)
    if (bases) await thinLine(folder, line, bases, nowMs)
    else if (line !== currentLine) await removeLine(folder, line)
  }
  return removed.length
}

/** The log is kept from the oldest backup on of those not older than a week; of older ones, what each of them needs itself. */
async function thinLine(folder: BackupFolder, line: string, bases: readonly Base[], nowMs: number): Promise<void> {
  const first = bases.find(({ finishedMs }) => finishedMs > nowMs - EVERY_INSTANT_MS) ?? bases.at(-1)
  if (!first) return
  for (const { segment, path } of await listSegments(folder, line)) {
    if (segment >= segmentAt(first.startLsn)) continue
    const isNeeded = bases.some(base => segment >= segmentAt(base.startLsn) && segment <= segmentBefore(base.stopLsn))
    if (!isNeeded) await rm(path, { force: true })
  }
}
