/** AVL 247: a crash, from a device with or without calibrated mounting. 2 to 5 are records of the following trace. */
const CRASHES: ReadonlySet<number> = new Set([1, 6])

const MPS2_PER_MILLI_G = 0.00980665

/**
 * @returns m/s² along all three axes (AVL 17, 18, 19, in thousandths of g); undefined unless the record has all three,
 * because the event type is a measured value.
 */
export function crashAcceleration([crash = 0, x = Number.NaN, y = Number.NaN, z = Number.NaN]: readonly number[]):
  | number
  | undefined {
  if (!CRASHES.has(crash)) return undefined
  const milliG = Math.hypot(x, y, z)
  return Number.isNaN(milliG) ? undefined : Math.round(milliG * MPS2_PER_MILLI_G * 1000) / 1000
}

/** The inverse of the above. @returns the raw value of AVL 17 when that axis had all of it */
export function milliGOf(mps2: number): number {
  return Math.min(8000, Math.max(-8000, Math.round(mps2 / MPS2_PER_MILLI_G)))
}
