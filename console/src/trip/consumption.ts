import type { Trip } from '../api/types.ts'

/** What a trip used of what drives the car, by what its instruments showed at both ends. */
interface Consumption {
  readonly kind: 'fuel' | 'charge'
  readonly used: number
  /** As the API names it: `l` or `%`. */
  readonly unit: string
  /** Over 100 km; undefined where the trip was too short to say, or only a share of the tank is known. */
  readonly per100Km: number | undefined
}

const METERS = [
  ['FUEL_LEVEL', 'fuel'],
  ['FUEL_LEVEL_PERCENT', 'fuel'],
  ['HV_BATTERY_SOC', 'charge'],
] as const

/** Levels are read in steps; over a shorter way, a step would be all of it. */
const LEAST_KM = 10

/** @returns one for fuel, in litres where they are known, and one for charge; none where the level did not fall */
export function consumptionsOf({ aggregations, distance }: Trip): readonly Consumption[] {
  const found: Consumption[] = []
  for (const [eventType, kind] of METERS) {
    const at = (end: 'START' | 'END') =>
      aggregations.find(item => item.eventType === eventType && item.aggregationType === end)
    const [start, end] = [at('START'), at('END')]
    if (typeof start?.value !== 'number' || typeof end?.value !== 'number') continue
    const used = start.value - end.value
    if (used <= 0 || found.some(known => known.kind === kind)) continue
    const unit = start.unit ?? ''
    found.push({
      kind,
      used,
      unit,
      per100Km: unit !== '%' && distance >= LEAST_KM ? (used / distance) * 100 : undefined,
    })
  }
  return found
}
