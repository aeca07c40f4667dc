/** From 0 up to 1, and the same for the same seeds (mixing by MurmurHash3's 32-bit finaliser). */
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

export interface Dice {
  between(least: number, most: number): number
  /** A whole number, both ends included. */
  whole(least: number, most: number): number
  happens(probability: number): boolean
  oneOf<T>(items: readonly [T, ...T[]]): T
}

export function diceOf(...seeds: readonly number[]): Dice {
  let thrown = 0
  const next = () => chance(...seeds, ++thrown)
  return {
    between: (least, most) => least + (most - least) * next(),
    whole: (least, most) => least + Math.floor((most - least + 1) * next()),
    happens: probability => next() < probability,
    oneOf: items => items[Math.floor(next() * items.length)] ?? items[0],
  }
}
