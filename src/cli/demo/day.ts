import { chance } from '../../simulation/chance.ts'
import { planDrive } from '../../simulation/drive-plan.ts'
import { backwards, type Route } from '../../simulation/route.ts'
import type { Schedule } from '../../simulation/schedule.ts'
import type { DailyDrive, DemoCar } from './fleet.ts'
import { ROUTES } from './routes.ts'

export const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** The day on which odometers show `firstKm`. */
const DAY_ONE = Date.UTC(2025, 0, 1) / DAY_MS
/** How much later than the timetable says a drive may begin. */
const LATEST_START_MS = 3 * MINUTE_MS

/** Everything a car does on one day (UTC). */
export interface CarDay extends Schedule {
  readonly day: number
}

export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS)
}

/**
 * Works out a day of a car from its timetable. When and how fast it drives differs from day to day; how far does not, so the
 * odometer of any day is known without the days before.
 */
export function planDay({ car, dongle, drives: daily, firstKm }: DemoCar, day: number): CarDay {
  const lengthsM = daily.map(drive => lengthOf(drive))
  const dailyM = lengthsM.reduce((sum, lengthM) => sum + lengthM, 0)
  const startOdometerM = firstKm * 1000 + (day - DAY_ONE) * dailyM
  let startOfDriveM = startOdometerM
  const drives = daily.map((drive, i) => {
    const seed = Math.floor(chance(dongle.deviceId % 1_000_000, day, i) * 2 ** 31)
    const startMs = day * DAY_MS + drive.minute * MINUTE_MS + Math.floor(chance(seed, 3) * LATEST_START_MS)
    const plan = planDrive(routeOf(drive), seed)
    const lengthM = lengthsM[i] ?? 0
    const planned = {
      startMs,
      endMs: startMs + plan.lastsMs,
      plan,
      lengthM,
      startOdometerM: startOfDriveM,
      endsAtCharger: true,
    }
    startOfDriveM += lengthM
    return planned
  })
  // The night by the same day's timetable.
  const parkedSinceMs = (drives.at(-1)?.endMs ?? day * DAY_MS) - DAY_MS
  const parkedAt = daily[0] ? routeOf(daily[0])[0] : undefined
  if (!parkedAt) throw new Error('a car of the demonstration drives every day')
  return { car, day, parkedAt, parkedSinceMs, startOdometerM, drives }
}

function lengthOf(drive: DailyDrive): number {
  // Whole metres, so that adding them up never rounds and the odometer never goes back.
  return Math.floor(planDrive(routeOf(drive), 0).lengthM)
}

function routeOf({ route, back }: DailyDrive): Route {
  return back ? backwards(ROUTES[route]) : ROUTES[route]
}
