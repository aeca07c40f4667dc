/**
 * A number from 0 up to 1 that depends on nothing but its seeds: the same car, day and place always give the same one, so a
 * drive can be worked out again at any later start (mixing by MurmurHash3's 32-bit finaliser).
 */
export function chance(...seeds: readonly number[]): number {
  let hash = 0x9e3779b9
  for (const seed of seeds) {
    hash ^= seed | 0
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    hash = Math.imul(hash ^ (hash >>> 16), 5) + 0x6b6e6f74
  }
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}
