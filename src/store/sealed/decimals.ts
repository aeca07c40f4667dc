/**
 * Measured numbers are mostly decimals of few digits: as whole numbers of a power of ten they are short (Afroozeh et al., ALP,
 * SIGMOD 2023). A whole number divided by a power of ten up to 10^22 is rounded once, so the same double comes back.
 */

/** Beyond 15 digits no decimal has a double of its own. */
const SCALES = 16
const POWERS = Array.from({ length: SCALES }, (_, scale) => 10 ** scale)

/** Such whole numbers at most, so that their differences can be written. */
const WHOLE_AT_MOST = 2 ** 51

/** Numbers as whole numbers of 10^-scale. */
interface Decimals {
  readonly scale: number
  readonly wholes: Float64Array
}

/** @returns undefined unless each number comes back, bit for bit: not with -0, not with NaN */
export function decimalsOf(values: Float64Array): Decimals | undefined {
  let scale = 0
  for (const value of values) {
    while (!isDecimal(value, POWERS[scale] ?? 1)) if (++scale === SCALES) return undefined
  }
  const power = POWERS[scale] ?? 1
  const wholes = new Float64Array(values.length)
  for (const [index, value] of values.entries()) {
    // With a greater scale, an earlier number may have become too long.
    if (!isDecimal(value, power)) return undefined
    wholes[index] = Math.round(value * power)
  }
  return { scale, wholes }
}

/** The numbers again, in the place of the whole ones: memory for each column is what the collector runs for. */
export function numbersOfDecimals({ scale, wholes }: Decimals): Float64Array {
  const power = powerOf(scale)
  if (power === 1) return wholes
  for (let index = 0; index < wholes.length; index++) wholes[index] = (wholes[index] as number) / power
  return wholes
}

/** By what whole numbers of a scale are divided. */
export function powerOf(scale: number): number {
  const power = POWERS[scale]
  if (power === undefined) throw new RangeError(`a scale of ${scale}`)
  return power
}

function isDecimal(value: number, power: number): boolean {
  const whole = Math.round(value * power)
  return Math.abs(whole) <= WHOLE_AT_MOST && whole / power === value && !Object.is(value, -0)
}
