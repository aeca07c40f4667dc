import type { EventValue } from '../intake/sample.ts'
import { engine, fix, identity, incident, parked, type Report, type Source, slow } from './reports.ts'
import type { Drive, Schedule } from './schedule.ts'
import { situationAt } from './situation.ts'

/** What a dongle reports at one instant, by the names of event types. */
export interface Reading {
  /** What the dongle stamps on it; unless its clock is wrong, when it was taken. */
  readonly timeMs: number
  readonly takenMs: number
  /** The drive during which it was taken, both of its ends included; undefined while the car was parked. */
  readonly drive: Drive | undefined
  readonly events: ReadonlyMap<string, EventValue>
}

/**
 * What the dongle reports after `fromMs` up to and including `toMs`, in the order of time. It depends on nothing else,
 * so however a time is cut, the same readings come.
 */
export function* readingsBetween(schedule: Schedule, source: Source, fromMs: number, toMs: number): Generator<Reading> {
  for (const timeMs of instantsOf(schedule, source, fromMs, toMs)) {
    const reports = dueReports(schedule, source, timeMs)
    if (reports.length === 0) continue
    const situation = situationAt(schedule, timeMs)
    // Two reports may hold the same value; a reading holds it once.
    const reported = reports.flatMap(report => report(source, situation))
    const events = new Map(reported.filter(([name]) => !source.dongle.silentAbout.has(name)))
    if (events.size > 0) yield { timeMs, takenMs: timeMs, drive: driveAt(schedule, timeMs), events }
  }
}

/** Each dongle has its own second, so that they do not all report at the same instant. */
function offsetMs({ dongle }: Source): number {
  return (dongle.deviceId * 730) % dongle.intervals.stepMs
}

/**
 * Every instant at which something may be due: the steps of time, those of signs of life while the car is parked, the starts and
 * ends of drives, and incidents.
 */
function instantsOf({ drives }: Schedule, source: Source, afterMs: number, toMs: number): number[] {
  const { stepMs, parkedMs } = source.dongle.intervals
  const offset = offsetMs(source)
  const instants = new Set<number>()
  const addSteps = (everyMs: number, fromMs: number, untilMs: number) => {
    const first = Math.ceil((fromMs - offset) / everyMs) * everyMs + offset
    for (let timeMs = first; timeMs <= untilMs; timeMs += everyMs) if (timeMs > afterMs) instants.add(timeMs)
  }
  addSteps(parkedMs, afterMs, toMs)
  for (const { startMs, endMs, plan } of drives) {
    if (endMs <= afterMs || startMs > toMs) continue
    addSteps(stepMs, Math.max(startMs, afterMs), Math.min(endMs, toMs))
    for (const timeMs of [startMs, endMs, ...plan.incidents.map(({ atMs }) => startMs + atMs)])
      if (timeMs > afterMs && timeMs <= toMs) instants.add(timeMs)
  }
  return [...instants].sort((a, b) => a - b)
}

/** Ends belong to the drive as well. */
function driveAt({ drives }: Schedule, timeMs: number): Drive | undefined {
  return drives.find(({ startMs, endMs }) => startMs <= timeMs && timeMs <= endMs)
}

function dueReports(schedule: Schedule, source: Source, timeMs: number): Report[] {
  const { fixMs, engineMs, slowMs, parkedMs, parkedIdentityMs } = source.dongle.intervals
  const isStep = (everyMs: number) => (timeMs - offsetMs(source)) % everyMs === 0
  const drive = driveAt(schedule, timeMs)
  if (drive?.startMs === timeMs) return [fix, slow, identity]
  if (drive?.endMs === timeMs) return [parked, slow]
  if (drive) {
    const isIncident = drive.plan.incidents.some(({ atMs }) => drive.startMs + atMs === timeMs)
    return [
      ...(isStep(fixMs) || isIncident ? [fix] : []),
      ...(isStep(engineMs) ? [engine] : []),
      ...(isStep(slowMs) ? [slow] : []),
      ...(isIncident ? [incident] : []),
    ]
  }
  if (isStep(parkedIdentityMs)) return [parked, slow, identity]
  return isStep(parkedMs) ? [parked] : []
}
