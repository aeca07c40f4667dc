import { chance } from './chance.ts'

/** Decisions that follow from a seed and from how many were taken before. */
export interface Dice {
  between(least: number, most: number): number
  /** A whole number, both ends included. */
  whole(least: number, most: number): number
  happens(probability: number): boolean
  oneOf<T>(items: readonly [T, ...T[]]): T
}

/** Dice that give the same numbers whenever they are made of the same seeds. */
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
