import type { Position } from '../../src/model/sample.ts'
import type { Car, Fault } from './car.ts'
import { diceOf } from './dice.ts'
import { motionAt, planDrive } from './drive-plan.ts'
import { randomRoute } from './random-route.ts'
import { backwards, type Route } from './route.ts'
import type { Drive, Schedule } from './schedule.ts'

interface ScheduleWishes {
  readonly car: Car
  /** Where the car stands, and since when. */
  readonly start: Position
  readonly fromMs: number
  readonly startOdometerM: number
  /** How many drives; at least one. */
  readonly drives: number
  readonly shortestM: number
  readonly longestM: number
  readonly seed: number
}

const MINUTE_MS = 60_000
/** Longer than any pause within a drive. */
const SHORTEST_PARKED_MS = 12 * MINUTE_MS
const LONGEST_PARKED_MS = 150 * MINUTE_MS
const NIGHT_MS = 9 * 60 * MINUTE_MS
const DRIVES_A_DAY = 6

/** Drives of some days, each beginning where the one before ended; every other one leads back. */
export function randomSchedule(wishes: ScheduleWishes): Schedule {
  const { car, fromMs, startOdometerM, seed } = wishes
  const dice = diceOf(seed, 21)
  const drives: Drive[] = []
  let position = wishes.start
  let odometerM = startOdometerM
  let freeFromMs = fromMs
  let wayThere: Route = []
  for (let i = 0; i < wishes.drives; i++) {
    const nightMs = i % DRIVES_A_DAY === DRIVES_A_DAY - 1 ? NIGHT_MS : 0
    // Short drives are as frequent as long ones.
    const lengthM = wishes.shortestM * (wishes.longestM / wishes.shortestM) ** dice.between(0, 1)
    const route = i % 2 === 1 ? backwards(wayThere) : randomRoute(position, lengthM, dice.whole(0, 2 ** 31))
    const plan = planDrive(route, dice.whole(0, 2 ** 31))
    const startMs = Math.round(freeFromMs + nightMs + dice.between(SHORTEST_PARKED_MS, LONGEST_PARKED_MS))
    const drive = {
      startMs,
      endMs: startMs + plan.lastsMs,
      plan,
      lengthM: Math.floor(plan.lengthM),
      startOdometerM: odometerM,
      endsAtCharger: true,
    }
    drives.push(drive)
    odometerM += drive.lengthM
    freeFromMs = drive.endMs
    position = motionAt(plan, plan.lastsMs).position
    wayThere = route
  }
  return { car, parkedSinceMs: fromMs, parkedAt: wishes.start, startOdometerM, drives }
}

const CODES = ['P0420', 'P0171', 'P0300', 'P2463', 'U0121', 'C0035', 'B1318', 'P0562'] as const

/** Some fault codes that come, and of which some go again, while the car drives. */
export function randomFaults({ drives }: Schedule, seed: number): Fault[] {
  const dice = diceOf(seed, 22)
  const endMs = drives.at(-1)?.endMs ?? 0
  const startMs = drives[0]?.startMs ?? 0
  return CODES.filter(() => dice.happens(0.3)).map(code => {
    const fromMs = Math.round(dice.between(startMs, endMs))
    return {
      code,
      kind: dice.oneOf(['permanent', 'sporadic'] as const),
      fromMs,
      toMs: dice.happens(0.5) ? Math.round(dice.between(fromMs, endMs)) : undefined,
    }
  })
}
