import { type VinRun } from '../../trips/derive/state.ts'

/** A dongle is in the car with that VIN from here until its next stay begins. */
export interface Stay {
  readonly vin: string
  /** Minus infinity for the first stay: nothing better is known about the time before its first reading. */
  readonly fromMs: number
}

/**
 * Where a dongle was, by the VINs that it read (decisions.md, *VIN read by a dongle*): a run counts if it was
 * confirmed by a second reading or if an operator entered its VIN. Any other run is ignored, so a single
 * misreading moves nothing. The result depends only on the set of readings, not on the order in which they arrived.
 * @param operatorVins VINs that operators entered for vehicles of the account
 * @param movedMs when an operator moved it, before all of these readings; undefined if no operator did
 */
export function staysOf(runs: readonly VinRun[], operatorVins: ReadonlySet<string>, movedMs?: number): Stay[] {
  const stays: Stay[] = []
  let lastReadMs = movedMs ?? Number.NEGATIVE_INFINITY
  for (const run of [...runs].sort((a, b) => a.firstMs - b.firstMs)) {
    const current = stays.at(-1)
    const isSameCar = current?.vin === run.vin
    if (!isSameCar && !run.isConfirmed && !operatorVins.has(run.vin)) continue
    if (!isSameCar)
      stays.push({
        vin: run.vin,
        fromMs: current || movedMs !== undefined ? arrivalMs(run, lastReadMs) : Number.NEGATIVE_INFINITY,
      })
    lastReadMs = run.firstMs
  }
  return stays
}

/**
 * The sample that ended the last drive, or reported that the dongle was unplugged, was still measured in the former car.
 * If nothing ended since the former VIN was read, the dongle is in the new car from the first reading of its VIN on.
 */
function arrivalMs({ boundaryMs, firstMs }: VinRun, lastReadMs: number): number {
  return boundaryMs >= lastReadMs ? Math.min(boundaryMs + 1, firstMs) : firstMs
}
