import type { IngestSample } from '../ingest-client.ts'
import { type CarDay, DAY_MS, dayOf, planDay } from './day.ts'
import type { DemoCar } from './fleet.ts'
import { engine, fix, identity, parked, type Report, slow } from './reports.ts'
import { type Situation, situationAt } from './situation.ts'

/** The finest step of time; the other intervals are multiples of it. */
const FIX_EVERY_MS = 5000
const ENGINE_EVERY_MS = 10_000
const SLOW_EVERY_MS = 60_000
/** Below the five minutes after which a device counts as offline. */
const PARKED_EVERY_MS = 240_000
const PARKED_IDENTITY_EVERY_MS = 3_600_000

/**
 * What the car's dongle reports after `fromMs` up to and including `toMs`, in the order of time. A function of the clock and
 * nothing else: asked again for the same time it answers the same, so a repeat stores nothing new.
 */
export function* samplesBetween(car: DemoCar, fromMs: number, toMs: number): Generator<IngestSample> {
  for (let day = dayOf(fromMs); day <= dayOf(toMs); day++) {
    const carDay = planDay(car, day)
    const instants = instantsOf(carDay, Math.max(fromMs, day * DAY_MS - 1), Math.min(toMs, (day + 1) * DAY_MS - 1))
    for (const timeMs of instants) {
      const situation = situationAt(carDay, timeMs)
      // Two reports may hold the same value; a sample holds it once.
      const events = new Map(dueReports(carDay, situation).flatMap(report => report(car, situation)))
      if (events.size) yield { deviceId: car.deviceId, timeMs, events: [...events] }
    }
  }
}

/** Each car has its own second, so that they do not all report at the same instant. */
function offsetMs({ deviceId }: DemoCar): number {
  return (deviceId * 730) % FIX_EVERY_MS
}

/** Every instant at which something may be due: the steps of time, and the starts and ends of drives. */
function instantsOf({ car, drives }: CarDay, afterMs: number, toMs: number): number[] {
  const offset = offsetMs(car)
  const instants = new Set<number>()
  const first = Math.floor((afterMs - offset) / FIX_EVERY_MS + 1) * FIX_EVERY_MS + offset
  for (let timeMs = first; timeMs <= toMs; timeMs += FIX_EVERY_MS) instants.add(timeMs)
  for (const { startMs, endMs } of drives)
    for (const timeMs of [startMs, endMs]) if (timeMs > afterMs && timeMs <= toMs) instants.add(timeMs)
  return [...instants].sort((a, b) => a - b)
}

function dueReports({ car, drives }: CarDay, { timeMs, drive }: Situation): Report[] {
  const isStep = (everyMs: number) => (timeMs - offsetMs(car)) % everyMs === 0
  if (drive?.startMs === timeMs) return [fix, slow, identity]
  if (drive) return [fix, ...(isStep(ENGINE_EVERY_MS) ? [engine] : []), ...(isStep(SLOW_EVERY_MS) ? [slow] : [])]
  if (drives.some(({ endMs }) => endMs === timeMs)) return [parked, slow]
  if (isStep(PARKED_IDENTITY_EVERY_MS)) return [parked, slow, identity]
  return isStep(PARKED_EVERY_MS) ? [parked] : []
}
