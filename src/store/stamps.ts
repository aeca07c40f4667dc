/** Microseconds since 1970 of a stamp `YYYY-MM-DDTHH:MM:SS.ffffffZ`; exact until the year 2255. */
export function stampUs(stamp: string): number {
  return Date.parse(`${stamp.slice(0, 23)}Z`) * 1000 + Number(stamp.slice(23, 26))
}

/** The stamp `offset` microseconds after `first`, in the same form. */
export function stampAfter(first: string, offset: number): string {
  const us = BigInt(Date.parse(`${first.slice(0, 19)}Z`)) * 1000n + BigInt(first.slice(20, 26)) + BigInt(offset)
  const whole = us / 1_000_000n - (us % 1_000_000n < 0n ? 1n : 0n)
  const seconds = new Date(Number(whole) * 1000).toISOString().slice(0, 19)
  return `${seconds}.${String(us - whole * 1_000_000n).padStart(6, '0')}Z`
}
