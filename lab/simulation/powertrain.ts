import { chance } from './chance.ts'
import type { Car } from './dongle.ts'
import { type Drive, type DrivePlan, type Motion, motionIn, stretchIndexAt } from './drive-plan.ts'
import { gradientAt } from './ground.ts'

const MASS_KG = 1550
const GRAVITY_MPS2 = 9.81
const ROTATING_SHARE = 1.05
const ROLLING_RESISTANCE = 0.011
const HALF_AIR_KG_PER_M = 0.5 * 1.2 * 0.68
const TRANSMISSION_EFFICIENCY = 0.9

/** The demand of the wheels of a car of ordinary size, in kilowatts; less than nothing when it is braked. */
function wheelPowerKw({ speedKmh, accelerationMps2, position, courseDeg }: Motion): number {
  const speedMps = speedKmh / 3.6
  if (speedMps === 0) return 0
  const inertia = MASS_KG * ROTATING_SHARE * accelerationMps2
  const weight = MASS_KG * GRAVITY_MPS2 * (gradientAt(position, courseDeg) + ROLLING_RESISTANCE)
  return ((inertia + weight + HALF_AIR_KG_PER_M * speedMps ** 2) * speedMps) / 1000
}

interface EngineWork {
  readonly rpm: number
  /** Of what it could give at that speed of its own. */
  readonly loadPercent: number
  readonly throttlePercent: number
  /** Before it is scaled to what the car needs on the whole drive. */
  readonly fuelLitresPerHour: number
}

const IDLE_RPM = 820
const FASTEST_RPM = 5200
/** The gears by the highest speed at which a calm driver uses them, and engine speed for each km/h in it. */
const GEARS = [
  { untilKmh: 18, rpmPerKmh: 110 },
  { untilKmh: 34, rpmPerKmh: 62 },
  { untilKmh: 52, rpmPerKmh: 41 },
  { untilKmh: 74, rpmPerKmh: 30 },
  { untilKmh: Number.POSITIVE_INFINITY, rpmPerKmh: 23 },
] as const

const FULL_TORQUE_NM = 230
const COMFORTABLE_SHARE = 0.92
const AUXILIARY_KW = 1.2
const IDLE_LOAD_PERCENT = 14
const OVERRUN_LOAD_PERCENT = 4
const THROTTLE_CLOSED_PERCENT = 12
/** Heating value of petrol, and how much of it becomes work. */
const KWH_PER_LITRE = 8.9
const ENGINE_EFFICIENCY = 0.36
const FRICTION_LITRES_PER_HOUR_RPM = 0.00055

/** The engine in that motion: speed and gear make its own speed, acceleration and gradient its load, both what it burns. */
export function engineWork(motion: Motion): EngineWork {
  const wheelsKw = wheelPowerKw(motion)
  const rpm = rpmAt(motion.speedKmh, wheelsKw / TRANSMISSION_EFFICIENCY + AUXILIARY_KW)
  const isOverrun = wheelsKw < 0
  const powerKw = isOverrun ? 0 : wheelsKw / TRANSMISSION_EFFICIENCY + AUXILIARY_KW
  const share = Math.min(1, powerKw / fullPowerKw(rpm))
  return {
    rpm: Math.round(rpm),
    loadPercent: isOverrun ? OVERRUN_LOAD_PERCENT : IDLE_LOAD_PERCENT + (100 - IDLE_LOAD_PERCENT) * share,
    throttlePercent: isOverrun ? THROTTLE_CLOSED_PERCENT : THROTTLE_CLOSED_PERCENT + 75 * share,
    // On the overrun no fuel is injected.
    fuelLitresPerHour: isOverrun
      ? 0
      : powerKw / (KWH_PER_LITRE * ENGINE_EFFICIENCY) + rpm * FRICTION_LITRES_PER_HOUR_RPM,
  }
}

/** A driver who needs more power than a gear can give takes a lower one. */
function rpmAt(speedKmh: number, powerKw: number): number {
  let gear = GEARS.findIndex(({ untilKmh }) => speedKmh < untilKmh)
  const rpmIn = (index: number) => Math.max(IDLE_RPM, speedKmh * (GEARS[index]?.rpmPerKmh ?? 0))
  while (gear > 0 && powerKw > COMFORTABLE_SHARE * fullPowerKw(rpmIn(gear)) && rpmIn(gear - 1) <= FASTEST_RPM) gear--
  return rpmIn(gear)
}

function fullPowerKw(rpm: number): number {
  return (FULL_TORQUE_NM * rpm * 2 * Math.PI) / 60 / 1000
}

const MOTOR_EFFICIENCY = 0.9
const RECUPERATED_SHARE = 0.6
const CABIN_KW = 0.8

/** The power of the high-voltage battery, in kilowatts; less than nothing while braking charges it. */
export function batteryPowerKw(motion: Motion): number {
  const wheelsKw = wheelPowerKw(motion)
  return CABIN_KW + (wheelsKw > 0 ? wheelsKw / MOTOR_EFFICIENCY : wheelsKw * RECUPERATED_SHARE)
}

/** Litres or kilowatt-hours an hour, before they are scaled to the car. */
function demandOf(engine: Car['engine'], motion: Motion): number {
  return engine === 'electric' ? Math.max(0, batteryPowerKw(motion)) : engineWork(motion).fuelLitresPerHour
}

/** Each stretch in so many parts of the same length, in each of which the demand counts as that of its middle. */
const PARTS = 4

/** The use up to the start of each part of a drive and up to its end; a part of a stretch after the other. */
type Sums = Float64Array

const known: Record<Car['engine'], WeakMap<DrivePlan, Sums>> = { combustion: new WeakMap(), electric: new WeakMap() }

function sumsOf(plan: DrivePlan, engine: Car['engine']): Sums {
  const sums = known[engine].get(plan) ?? sumUp(plan, engine)
  known[engine].set(plan, sums)
  return sums
}

function sumUp(plan: DrivePlan, engine: Car['engine']): Sums {
  const sums = new Float64Array(plan.stretches.length * PARTS + 1)
  for (const [i, stretch] of plan.stretches.entries())
    for (let part = 0; part < PARTS; part++) {
      const demand = demandOf(engine, motionIn(plan, stretch, (stretch.lastsMs * (part + 0.5)) / PARTS))
      const index = i * PARTS + part
      sums[index + 1] = (sums[index] ?? 0) + (demand * stretch.lastsMs) / PARTS / 3_600_000
    }
  return sums
}

/** The share of the use of a whole drive so long after its start, 0 to 1; never less than before. */
export function usedShare(plan: DrivePlan, engine: Car['engine'], sinceStartMs: number): number {
  const elapsedMs = Math.min(Math.max(sinceStartMs, 0), plan.lastsMs)
  const sums = sumsOf(plan, engine)
  const index = stretchIndexAt(plan, elapsedMs)
  const stretch = plan.stretches[index]
  const total = sums.at(-1) ?? 0
  if (!stretch || total === 0) return 0
  const parts = Math.min((elapsedMs - stretch.fromMs) / stretch.lastsMs, 1) * PARTS
  const part = index * PARTS + Math.min(Math.floor(parts), PARTS - 1)
  const before = sums[part] ?? 0
  const after = sums[part + 1] ?? 0
  return (before + (after - before) * (parts - (part - index * PARTS))) / total
}

/** Scaled so that the whole drive uses what the car needs on such a way: its capacity for its range. */
export function scaledToCar(car: Car, plan: DrivePlan, demand: number): number {
  const total = sumsOf(plan, car.engine).at(-1) ?? 0
  const needed = (plan.lengthM / 1000 / car.rangeKm) * car.capacity
  return total === 0 ? 0 : (demand * needed) / total
}

const MOTOR_KW = 12
const ELECTRIC_UP_TO_KMH = 45
/** This share of short drives needs no engine at all, because the battery was charged. */
const ELECTRIC_SHARE = 0.3
const LONGEST_ELECTRIC_M = 12_000

export function isEngineRunning({ isHybrid }: Car, drive: Drive, motion: Motion): boolean {
  if (!isHybrid) return true
  return !isWhollyElectric(drive) && (motion.speedKmh > ELECTRIC_UP_TO_KMH || wheelPowerKw(motion) > MOTOR_KW)
}

function isWhollyElectric({ lengthM, startMs }: Drive): boolean {
  return lengthM <= LONGEST_ELECTRIC_M && chance(startMs / 1000, lengthM, 91) < ELECTRIC_SHARE
}
