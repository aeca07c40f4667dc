import type { Car } from './car.ts'
import { type DrivePlan, type Motion, motionIn, stretchIndexAt } from './drive-plan.ts'
import { batteryPowerKw, engineWork } from './powertrain.ts'

/** What is taken from the tank or the battery at an instant, in litres or kilowatt-hours an hour, before it is scaled. */
function demandOf(engine: Car['engine'], motion: Motion): number {
  return engine === 'electric' ? Math.max(0, batteryPowerKw(motion)) : engineWork(motion).fuelLitresPerHour
}

/** Each stretch in so many parts of the same length, in each of which the demand counts as that of its middle. */
const PARTS = 4

/** What is used up to the start of each part of a drive and up to its end; a part of a stretch after the other. */
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

/** How much of what a whole drive uses is used so long after its start, 0 to 1; never less than before. */
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

/**
 * Litres or kilowatt-hours an hour, for what is demanded at an instant of a drive, so that the whole drive uses what the car needs on
 * such a way: its capacity for its range.
 */
export function scaledToCar(car: Car, plan: DrivePlan, demand: number): number {
  const total = sumsOf(plan, car.engine).at(-1) ?? 0
  const needed = (plan.lengthM / 1000 / car.rangeKm) * car.capacity
  return total === 0 ? 0 : (demand * needed) / total
}
