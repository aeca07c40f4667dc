import { InvalidArgumentError } from 'commander'

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Reads `90s`, `15m`, `6h` or `7d`. @returns milliseconds; undefined for any other text. */
export function readDurationMs(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? []
  if (number === undefined || unit === undefined) return undefined
  return Math.round(Number(number) * UNITS_MS[unit as keyof typeof UNITS_MS])
}

/** The same for an argument of the command line. @throws InvalidArgumentError */
export function durationMs(text: string): number {
  const ms = readDurationMs(text)
  if (!ms) throw new InvalidArgumentError('A duration such as 90s, 15m, 6h or 7d is needed.')
  return ms
}
