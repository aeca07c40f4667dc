import { type EventTypeName } from '../../src/catalogue/event-types.ts'
import type { EventValue } from '../../src/model/sample.ts'
import type { Drive, Schedule } from './drive-plan.ts'
import {
  engine,
  eventsIn,
  fix,
  identity,
  incident,
  parked,
  type Report,
  type Source,
  slow,
  toldIncidents,
} from './reports.ts'
import { situationAt } from './situation.ts'

export interface Reading {
  readonly timeMs: number
  readonly takenMs: number
  /** The drive during which it was taken, both of its ends included; undefined while the car was parked. */
  readonly drive: Drive | undefined
  readonly events: ReadonlyMap<EventTypeName, EventValue>
}

/** After `fromMs` up to and including `toMs`, in the order of time; however a time is cut, the same readings come. */
export function* readingsBetween(schedule: Schedule, source: Source, fromMs: number, toMs: number): Generator<Reading> {
  for (const timeMs of instantsOf(schedule, source, fromMs, toMs)) {
    const drive = driveAt(schedule, timeMs)
    const reports = dueReports(drive, source, timeMs)
    if (reports.length === 0) continue
    const events = eventsIn(reports, source, situationAt(schedule, timeMs))
    if (events.size > 0) yield { timeMs, takenMs: timeMs, drive, events }
  }
}

/** Each dongle has its own second, so that they do not all report at the same instant. */
function offsetMs({ dongle }: Source): number {
  return (dongle.deviceId * 730) % dongle.intervals.stepMs
}

/** The steps of time, those of a parked car, the starts and ends of drives, and incidents. */
function instantsOf({ drives }: Schedule, source: Source, afterMs: number, toMs: number): number[] {
  const { stepMs, parkedMs, lingersMs } = source.dongle.intervals
  const offset = offsetMs(source)
  const instants = new Set<number>()
  const addSteps = (everyMs: number, fromMs: number, untilMs: number) => {
    const first = Math.ceil((fromMs - offset) / everyMs) * everyMs + offset
    for (let timeMs = first; timeMs <= untilMs; timeMs += everyMs) if (timeMs > afterMs) instants.add(timeMs)
  }
  if (parkedMs !== undefined) addSteps(parkedMs, afterMs, toMs)
  for (const drive of drives) {
    const { startMs, endMs } = drive
    if (endMs + lingersMs <= afterMs || startMs > toMs) continue
    addSteps(stepMs, Math.max(startMs, afterMs), Math.min(endMs + lingersMs, toMs))
    const ends = source.dongle.tellsEnds ? [startMs, endMs] : []
    for (const timeMs of [...ends, ...toldIncidents(drive, source.dongle).map(({ atMs }) => startMs + atMs)])
      if (timeMs > afterMs && timeMs <= toMs) instants.add(timeMs)
  }
  return [...instants].sort((a, b) => a - b)
}

function driveAt({ drives }: Schedule, timeMs: number): Drive | undefined {
  return drives.find(({ startMs, endMs }) => startMs <= timeMs && timeMs <= endMs)
}

function dueReports(drive: Drive | undefined, source: Source, timeMs: number): Report[] {
  const { dongle } = source
  const { stepMs, fixMs, engineMs, slowMs, parkedMs, parkedIdentityMs } = dongle.intervals
  const isStep = (everyMs: number) => (timeMs - offsetMs(source)) % everyMs === 0
  const { tellsEnds } = dongle
  if (tellsEnds && drive?.startMs === timeMs) return [fix, slow, identity, ...(dongle.tellsAllAtOnce ? [engine] : [])]
  if (tellsEnds && drive?.endMs === timeMs) return [parked, slow]
  if (drive) {
    const isIncident = toldIncidents(drive, dongle).some(({ atMs }) => drive.startMs + atMs === timeMs)
    const isFirst = !tellsEnds && timeMs - drive.startMs < stepMs
    return [
      ...(isFirst ? [identity] : []),
      ...(isStep(fixMs) || isIncident ? [fix] : []),
      ...(isStep(engineMs) ? [engine] : []),
      ...(isStep(slowMs) ? [slow] : []),
      ...(isIncident ? [incident] : []),
    ]
  }
  if (parkedMs === undefined) return isStep(stepMs) ? [parked, slow] : []
  if (isStep(parkedIdentityMs)) return [parked, slow, identity]
  if (!isStep(parkedMs)) return []
  return dongle.tellsAllAtOnce ? [parked, slow] : [parked]
}
