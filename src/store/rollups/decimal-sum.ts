import { decimalsOf } from '../sealed/decimals.ts'

/**
 * An exact sum of measured numbers, each taken as the shortest decimal that is the same double, as JSON writes it: three times 0.1 are
 * 0.3. So it depends neither on the order of what is added nor on how it is put together, and SQL finds the same with `numeric`.
 */
export interface DecimalSum {
  /** In units of 10^-scale. */
  readonly whole: bigint
  readonly scale: number
}

const NOTHING: DecimalSum = { whole: 0n, scale: 0 }

/** Below this, another whole number of a decimal (at most 2^51) can be added to a double without rounding. */
const SAFE_SUM = 2 ** 52

/** @param values finite */
export function decimalSum(values: Float64Array): DecimalSum {
  const decimals = decimalsOf(values)
  if (!decimals) return values.reduce((sum, value) => addedSums(sum, decimalOf(value)), NOTHING)
  let whole = 0n
  let part = 0
  for (const value of decimals.wholes) {
    part += value
    if (Math.abs(part) < SAFE_SUM) continue
    whole += BigInt(part)
    part = 0
  }
  return { whole: whole + BigInt(part), scale: decimals.scale }
}

/** Two sums together. */
export function addedSums(a: DecimalSum, b: DecimalSum): DecimalSum {
  const scale = Math.max(a.scale, b.scale)
  return { whole: atScale(a, scale) + atScale(b, scale), scale }
}

/** In units of a smaller power of ten. */
export function atScale({ whole, scale }: DecimalSum, wanted: number): bigint {
  return wanted === scale ? whole : whole * 10n ** BigInt(wanted - scale)
}

/** The sum as a decimal without needless zeros. */
export function sumText({ whole, scale }: DecimalSum): string {
  const digits = String(whole < 0n ? -whole : whole).padStart(scale + 1, '0')
  const point = digits.length - scale
  let end = digits.length
  while (end > point && digits[end - 1] === '0') end--
  return `${whole < 0n ? '-' : ''}${digits.slice(0, point)}${end === point ? '' : `.${digits.slice(point, end)}`}`
}

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/

function decimalOf(value: number): DecimalSum {
  const [, sign = '', before = '', after = '', exponent = '0'] = DECIMAL.exec(String(value)) ?? []
  if (before === '') throw new RangeError(`a sum with ${value}`)
  const scale = after.length - Number(exponent)
  const whole = BigInt(sign + before + after)
  return scale < 0 ? { whole: whole * 10n ** BigInt(-scale), scale: 0 } : { whole, scale }
}
