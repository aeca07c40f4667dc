import type { Place, Rival } from '../place.ts'
import type { Stay } from '../stay.ts'
import {
  flagOf,
  isSet,
  type Origin,
  type Packed,
  packNear,
  packPosition,
  packSince,
  unpackNear,
  unpackPosition,
  unpackSince,
} from './values.ts'

const packRival = (rival: Rival, originMs: number) =>
  [
    packPosition(rival.position),
    packPosition(rival.firstPosition),
    rival.firstMs - originMs,
    rival.lastMs - originMs,
    rival.count,
    flagOf(rival.isPossible),
    packSince(rival.formerUntilMs, originMs),
  ] as const
const unpackRival = (packed: Packed<typeof packRival>, originMs: number): Rival => ({
  position: unpackPosition(packed[0]),
  firstPosition: unpackPosition(packed[1]),
  firstMs: packed[2] + originMs,
  lastMs: packed[3] + originMs,
  count: packed[4],
  isPossible: isSet(packed[5]),
  formerUntilMs: unpackSince(packed[6], originMs),
})

export const packPlace = ({ position, firstMs, lastMs, rival }: Place, originMs: number) =>
  [packPosition(position), firstMs - originMs, lastMs - originMs, rival ? packRival(rival, originMs) : null] as const
export const unpackPlace = ([position, firstMs, lastMs, rival]: Packed<typeof packPlace>, originMs: number): Place => ({
  position: unpackPosition(position),
  firstMs: firstMs + originMs,
  lastMs: lastMs + originMs,
  rival: rival ? unpackRival(rival, originMs) : undefined,
})

/** Usually a car is at its stay, and nothing about the way there has to be stored. */
export const packStay = (stay: Stay, origin: Origin) => {
  const { timeMs } = origin
  const { outside, next, leftFrom } = stay
  return [
    packNear(stay.middle, origin),
    stay.count,
    stay.scatterM,
    stay.sinceMs - timeMs,
    stay.arrivedMs - timeMs,
    packNear(stay.inside, origin),
    stay.insideMs - timeMs,
    outside ? ([packNear(outside, origin), stay.outsideMs - timeMs] as const) : null,
    next
      ? ([
          packNear(next, origin),
          stay.nextMs - timeMs,
          stay.nextBeforeMs - timeMs,
          stay.nextArrivedMs - timeMs,
        ] as const)
      : null,
    leftFrom ? ([packNear(leftFrom, origin), stay.leftMs - timeMs] as const) : null,
  ] as const
}
export const unpackStay = (packed: Packed<typeof packStay>, origin: Origin): Stay => {
  const { timeMs } = origin
  const [outside, next, left] = [packed[7], packed[8], packed[9]]
  return {
    middle: unpackNear(packed[0], origin),
    count: packed[1],
    scatterM: packed[2],
    sinceMs: packed[3] + timeMs,
    arrivedMs: packed[4] + timeMs,
    inside: unpackNear(packed[5], origin),
    insideMs: packed[6] + timeMs,
    outside: outside ? unpackNear(outside[0], origin) : undefined,
    outsideMs: outside ? outside[1] + timeMs : 0,
    next: next ? unpackNear(next[0], origin) : undefined,
    nextMs: next ? next[1] + timeMs : 0,
    nextBeforeMs: next ? next[2] + timeMs : 0,
    nextArrivedMs: next ? next[3] + timeMs : 0,
    leftFrom: left ? unpackNear(left[0], origin) : undefined,
    leftMs: left ? left[1] + timeMs : 0,
  }
}
