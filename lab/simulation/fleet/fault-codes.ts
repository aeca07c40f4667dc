import { diceOf } from '../chance.ts'
import type { Fault } from '../dongle.ts'
import { DAY_MS, FIRST_DAY } from './car-day.ts'
import type { VirtualCar } from './virtual-fleet.ts'

const CODES = {
  combustion: ['P0301', 'P0171', 'P0128', 'P0455', 'P2463'],
  electric: ['P0A80', 'P0AA6', 'P0AFA', 'U0293'],
} as const

/** In each such time, a car may have one fault (`faultShare`) that a workshop clears before the next. */
const PERIOD_MS = 14 * DAY_MS
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

function faultOf({ car, faultShare, seed }: VirtualCar, period: number, periodMs: number): Fault | undefined {
  const dice = diceOf(seed, period, 131)
  if (!dice.happens(faultShare)) return undefined
  const fromMs = Math.round(periodMs + dice.between(0, 5) * DAY_MS)
  const toMs = Math.round(fromMs + dice.between(1.5, 8) * DAY_MS)
  const [first, ...others] = CODES[car.engine]
  return { code: dice.oneOf([first, ...others]), kind: 'permanent', fromMs, toMs }
}
