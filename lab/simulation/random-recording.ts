import type { DeviceId, Position } from '../../src/model/sample.ts'
import { type Dice, diceOf } from './chance.ts'
import { type Car, type DongleKind, dongleOf, type Fault } from './dongle.ts'
import { backwards, type Drive, motionAt, planDrive, type Route, type Schedule, type Waypoint } from './drive-plan.ts'
import { moved, wayTowards } from './ground.ts'
import { type Recording, record, type Stint } from './recording.ts'

interface RecordingWishes {
  readonly deviceId: DeviceId
  readonly kind: DongleKind
  readonly fromMs: number
  readonly drivesByCar: readonly number[]
  readonly seed: number
  readonly cars?: readonly number[]
  readonly shortestM?: number
  readonly longestM?: number
  readonly odometerStepM?: number
  readonly town?: Position
  readonly isHybrid?: boolean
}

/** Cars begin their first drive around here, unless another place is wished for. */
const TOWN: Position = { lat: 49.0069, lon: 8.4037 }
const TOWN_RADIUS_M = 4000
const MOVE_MS = 1_800_000

export function randomRecording(wishes: RecordingWishes): Recording {
  const { deviceId, kind, drivesByCar, seed, town = TOWN, shortestM = 900, longestM = 40_000 } = wishes
  const stints: Stint[] = []
  let fromMs = wishes.fromMs
  for (const [i, drives] of drivesByCar.entries()) {
    const dice = diceOf(seed, i, 23)
    const radiusM = { eastM: dice.between(-1, 1) * TOWN_RADIUS_M, northM: dice.between(-1, 1) * TOWN_RADIUS_M }
    const schedule = randomSchedule({
      car: randomCar(wishes.cars?.[i] ?? seed * 10 + i, wishes),
      start: moved(town, radiusM),
      fromMs,
      startOdometerM: dice.whole(3_000_000, 180_000_000),
      drives,
      shortestM,
      longestM,
      seed: seed * 10 + i,
    })
    const toMs = (schedule.drives.at(-1)?.endMs ?? fromMs) + MOVE_MS
    stints.push({ schedule, faults: randomFaults(schedule, seed * 10 + i), fromMs, toMs })
    fromMs = toMs + MOVE_MS
  }
  return record(dongleOf(deviceId, kind), stints)
}

/** World manufacturer identifiers of makes that are seen often; European VINs have no check digit. */
const MANUFACTURERS = ['WVW', 'WDD', 'WF0', 'TMB', 'VF1', 'WBA'] as const

function randomCar(seed: number, { odometerStepM, isHybrid = false }: RecordingWishes): Car {
  const dice = diceOf(seed, 24)
  const serial = String(seed % 1_000_000).padStart(6, '0')
  const vin = `${dice.oneOf(MANUFACTURERS)}ZZZ${dice.whole(10, 99)}ZLP${serial}`
  const engine = isHybrid ? 'combustion' : dice.oneOf(['combustion', 'combustion', 'electric'] as const)
  return {
    vin,
    engine,
    isHybrid,
    capacity: engine === 'electric' ? 58 : 50,
    rangeKm: dice.whole(340, 820),
    restingVolts: dice.between(12.3, 12.8),
    odometerStepM: odometerStepM ?? dice.oneOf([1, 100, 100] as const),
  }
}

interface Road {
  readonly limitsKmh: readonly [number, ...number[]]
  readonly legM: readonly [least: number, most: number]
  /** The most that it turns from one leg to the next. */
  readonly bendDeg: number
  readonly junctionShare: number
  readonly stopS: number
}

const RANDOM_ROUTE_TOWN: Road = { limitsKmh: [30, 50, 50], legM: [60, 180], bendDeg: 12, junctionShare: 0.2, stopS: 70 }
const COUNTRY: Road = { limitsKmh: [70, 80, 100], legM: [120, 260], bendDeg: 14, junctionShare: 0.03, stopS: 40 }
const MOTORWAY: Road = { limitsKmh: [110, 130], legM: [250, 500], bendDeg: 5, junctionShare: 0, stopS: 0 }

/** Lengths from which a drive leaves the town, and from which it takes the motorway. */
const COUNTRY_FROM_M = 4000
const MOTORWAY_FROM_M = 20_000

/** A made-up way through the town, over land and on the motorway if it is far, and into a town again. */
export function randomRoute(start: Position, lengthM: number, seed: number): Route {
  const dice = diceOf(seed, 11)
  let courseDeg = dice.between(0, 360)
  let drivenM = 0
  let limitKmh = 30
  let road = RANDOM_ROUTE_TOWN
  let position = start
  const route: Waypoint[] = []
  while (drivenM < lengthM) {
    const roadNow = roadAt(drivenM, lengthM)
    const isJunction = route.length > 0 && dice.happens(roadNow.junctionShare)
    if (roadNow !== road || isJunction || route.length === 0) limitKmh = dice.oneOf(roadNow.limitsKmh)
    road = roadNow
    courseDeg += turnDeg(dice, road, isJunction)
    route.push({ ...position, limitKmh, ...(isJunction && { stopS: road.stopS }) })
    const legM = dice.between(...road.legM)
    position = moved(position, wayTowards(courseDeg, legM))
    drivenM += legM
  }
  return [...route, { ...position, limitKmh: 30 }]
}

function roadAt(drivenM: number, lengthM: number): Road {
  const fromEndM = Math.min(drivenM, lengthM - drivenM)
  if (lengthM >= MOTORWAY_FROM_M && fromEndM > lengthM / 4) return MOTORWAY
  return lengthM >= COUNTRY_FROM_M && fromEndM > lengthM / 8 ? COUNTRY : RANDOM_ROUTE_TOWN
}

function turnDeg(dice: Dice, { bendDeg }: Road, isJunction: boolean): number {
  const bend = dice.between(-bendDeg, bendDeg)
  return isJunction ? bend + dice.oneOf([0, 90, -90]) : bend
}

interface ScheduleWishes {
  readonly car: Car
  readonly start: Position
  readonly fromMs: number
  readonly startOdometerM: number
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
function randomSchedule(wishes: ScheduleWishes): Schedule {
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

function randomFaults({ drives }: Schedule, seed: number): Fault[] {
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
