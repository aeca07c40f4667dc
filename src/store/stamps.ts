/** The stamp `offset` microseconds after `first`, in the same form. */
export function stampAfter(first: string, offset: number): string {
  const us = BigInt(Date.parse(`${first.slice(0, 19)}Z`)) * 1000n + BigInt(first.slice(20, 26)) + BigInt(offset)
  const seconds = new Date(Number(us / 1_000_000n) * 1000).toISOString().slice(0, 19)
  return `${seconds}.${String(us % 1_000_000n).padStart(6, '0')}Z`
}
