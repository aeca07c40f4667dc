/** When something started, relative to the attack. */
const PHASES = ['before', 'during', 'after'] as const
export type Phase = (typeof PHASES)[number]

/** How long the second tenant waited at one interface in one phase. */
export interface Measurement {
  readonly door: string
  readonly phase: Phase
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly mostMs: number
  /** One text for each that failed. */
  readonly errors: readonly string[]
}

/** Below this a wait is no worse than another, so none is compared with less. */
export const FLOOR_MS = 50
/** How much longer than before it may take. */
export const MOST_TIMES_BEFORE = 5

/** Times that were taken, by door and phase. */
export class Measured {
  readonly #taken = new Map<string, { door: string; phase: Phase; timesMs: number[]; errors: string[] }>()

  succeeded(door: string, phase: Phase, ms: number): void {
    this.#of(door, phase).timesMs.push(ms)
  }

  failed(door: string, phase: Phase, error: string): void {
    this.#of(door, phase).errors.push(error)
  }

  all(): readonly Measurement[] {
    return [...this.#taken.values()].map(({ door, phase, timesMs, errors }) => {
      const sorted = timesMs.sort((a, b) => a - b)
      const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
      const times = { p50Ms: quantile(0.5), p99Ms: quantile(0.99), mostMs: quantile(1) }
      return { door, phase, count: sorted.length, errors, ...times }
    })
  }

  #of(door: string, phase: Phase) {
    const name = `${phase} ${door}`
    const taken = this.#taken.get(name) ?? { door, phase, timesMs: [], errors: [] }
    this.#taken.set(name, taken)
    return taken
  }
}

/** Which limits were broken, in words; empty when nobody but the attacker noticed anything. */
export function brokenLimits(measurements: readonly Measurement[]): readonly string[] {
  const p99 = (door: string, phase: Phase) => measurements.find(m => m.door === door && m.phase === phase)?.p99Ms ?? 0
  return measurements.flatMap(({ door, phase, p99Ms, count, errors }) => {
    const limitMs = MOST_TIMES_BEFORE * Math.max(FLOOR_MS, p99(door, 'before'))
    return [
      ...(errors.length > 0 ? [`${door}: ${errors.length} errors ${phase} the attack, such as ${errors[0]}`] : []),
      ...(count === 0 ? [`${door}: nothing got through ${phase} the attack`] : []),
      ...(phase !== 'before' && p99Ms > limitMs
        ? [`${door}: p99 of ${Math.round(p99Ms)} ms ${phase} the attack, where ${Math.round(limitMs)} ms are the limit`]
        : []),
    ]
  })
}
