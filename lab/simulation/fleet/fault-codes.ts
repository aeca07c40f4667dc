import { chance, diceOf } from '../chance.ts'
import { KM_PER_MILE, showing } from '../disturbances/dongle-faults.ts'
import type { Fault } from '../dongle.ts'
import type { Recording } from '../recording.ts'
import { DAY_MS, FIRST_DAY } from './car-day.ts'
import type { DongleDay } from './dongle-day.ts'
import type { VirtualCar } from './virtual-fleet.ts'

const CODES = {
  combustion: ['P0301', 'P0171', 'P0128', 'P0455', 'P2463'],
  electric: ['P0A80', 'P0AA6', 'P0AFA', 'U0293'],
} as const

/** In each such time, a car may have one fault that a workshop clears before the next. */
const PERIOD_MS = 14 * DAY_MS
const SHARE_WITH_FAULT = 0.45

/** The fault codes that the car stores at some time after `fromMs` and before `toMs`, in the order in which they came. */
export function faultsBetween(car: VirtualCar, fromMs: number, toMs: number): Fault[] {
  const faults: Fault[] = []
  const beginMs = FIRST_DAY * DAY_MS
  if (car.lastingCode && toMs > beginMs)
    faults.push({ code: car.lastingCode, kind: 'permanent', fromMs: beginMs, toMs: undefined })
  // Not all cars in the same weeks.
  const shiftMs = (car.seed % 14) * DAY_MS
  for (let period = Math.floor((fromMs - shiftMs) / PERIOD_MS); period * PERIOD_MS + shiftMs < toMs; period++) {
    const fault = faultOf(car, period, period * PERIOD_MS + shiftMs)
    if (fault && fault.fromMs >= beginMs && fault.fromMs < toMs && (fault.toMs ?? fromMs) > fromMs) faults.push(fault)
  }
  return faults
}

function faultOf({ car, seed }: VirtualCar, period: number, periodMs: number): Fault | undefined {
  const dice = diceOf(seed, period, 131)
  if (!dice.happens(SHARE_WITH_FAULT)) return undefined
  const fromMs = Math.round(periodMs + dice.between(0, 5) * DAY_MS)
  const toMs = Math.round(fromMs + dice.between(1.5, 8) * DAY_MS)
  const [first, ...others] = CODES[car.engine]
  return { code: dice.oneOf([first, ...others]), kind: 'permanent', fromMs, toMs }
}

/** What is wrong with the odometer of a car is the same for every dongle in it, on every day. */
type CarDisturbance = (recording: Recording, seed: number, day: DongleDay) => Recording

const SHARE_OF_CARS = 0.25

/** The odometer of some cars counts miles. */
export const countsMiles: CarDisturbance = (recording, _, { virtualCar: { seed } }) =>
  chance(seed, 151) < SHARE_OF_CARS ? showing(recording, km => km / KM_PER_MILE) : recording

const LEAST_TOO_MUCH = 0.03
const MOST_TOO_MUCH = 0.15

/** That of some cars has counted too much since the fleet began. */
export const countsTooMuch: CarDisturbance = (recording, _, { virtualCar: { seed, firstOdometerM } }) => {
  const dice = diceOf(seed, 152)
  if (!dice.happens(SHARE_OF_CARS)) return recording
  const by = dice.between(LEAST_TOO_MUCH, MOST_TOO_MUCH)
  return showing(recording, km => km + (km - firstOdometerM / 1000) * by)
}

const CLUSTER_DAYS = 5
const OLDEST_KM = 250_000

/** Every few days another instrument cluster shows another count, from the middle of a drive on. */
export const swapsClusters: CarDisturbance = (recording, _, { virtualCar, day, plan: { drives } }) => {
  const days = day - FIRST_DAY + (virtualCar.seed % CLUSTER_DAYS)
  const cluster = Math.floor(days / CLUSTER_DAYS)
  const now = addedKm(virtualCar, cluster)
  const drive = drives[Math.floor(chance(virtualCar.seed, cluster, 153) * drives.length)]
  if (days % CLUSTER_DAYS !== 0 || !drive) return showing(recording, km => km + now)
  const before = addedKm(virtualCar, cluster - 1)
  const swappedMs = (drive.startMs + drive.endMs) / 2
  return showing(recording, (km, timeMs) => km + (timeMs < swappedMs ? before : now))
}

/** What a cluster shows more, or less, than the car has been driven; with the first one nothing. */
function addedKm({ seed, firstOdometerM }: VirtualCar, cluster: number): number {
  if (cluster <= 0) return 0
  return diceOf(seed, cluster, 154).whole(-Math.floor(firstOdometerM / 1000), OLDEST_KM)
}

/** A day of a dongle with faults takes megabytes, and a fleet of ten thousand shall fit into memory. */
const MOST_THINGS = 32

/**
 * Remembers what was made of the last days of each thing that was asked for lately: who asks for slices of time asks for the same
 * day again and again.
 */
export function recentDays<Made>(count: number): (of: object, day: number, make: () => Made) => Made {
  const remembered = new Map<object, readonly { readonly day: number; readonly made: Made }[]>()
  return (of, day, make) => {
    const known = remembered.get(of) ?? []
    // What was asked for last comes last.
    remembered.delete(of)
    const hit = known.find(entry => entry.day === day)
    const made = hit ? hit.made : make()
    remembered.set(of, hit ? known : [{ day, made }, ...known.slice(0, count - 1)])
    const [oldest] = remembered.size > MOST_THINGS ? remembered.keys() : []
    if (oldest) remembered.delete(oldest)
    return made
  }
}
