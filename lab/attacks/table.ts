import { FLOOR_MS, MOST_TIMES_BEFORE, type Phase } from './measurement.ts'
import type { AttackReport } from './run-attack.ts'

/** What the second tenant noticed, as Markdown. */
export function attackTable(reports: readonly AttackReport[]): string {
  return [
    `p99 of the second tenant's waits in ms, before / during / after. During and after, at most ${MOST_TIMES_BEFORE} times`,
    `as long as before, where before counts as ${FLOOR_MS} ms at least: below, a machine's noise is all there is.`,
    '',
    `| attack | ${doorsOf(reports).join(' | ')} | errors | |`,
    `| --- | ${doorsOf(reports)
      .map(() => '---')
      .join(' | ')} | --- | --- |`,
    ...reports.map(report => row(report, doorsOf(reports))),
  ].join('\n')
}

function doorsOf(reports: readonly AttackReport[]): readonly string[] {
  return [...new Set(reports.flatMap(({ measurements }) => measurements.map(({ door }) => door)))].sort()
}

function row({ attack, measurements, broken }: AttackReport, doors: readonly string[]): string {
  const figure = (door: string, phase: Phase) => {
    const measured = measurements.find(m => m.door === door && m.phase === phase)
    return measured && measured.count > 0 ? String(Math.round(measured.p99Ms)) : '–'
  }
  const cells = doors.map(door =>
    (['before', 'during', 'after'] as const).map(phase => figure(door, phase)).join(' / '),
  )
  const errors = measurements.reduce((sum, measured) => sum + measured.errors.length, 0)
  return `| ${attack.name} | ${cells.join(' | ')} | ${errors} | ${broken.length === 0 ? 'held' : 'BROKEN'} |`
}

/** The same in words: what was tried, the result, and which limits were broken. */
export function attackNotes({ attack, outcome, broken }: AttackReport): string {
  return [
    `${broken.length === 0 ? 'held  ' : 'BROKEN'} ${attack.name} (${attack.clause}): ${attack.what}`,
    `       ${outcome}`,
    ...broken.map(text => `       ${text}`),
  ].join('\n')
}
