import { chance } from '../chance.ts'
import { diceOf } from '../dice.ts'
import type { Packet } from './packets.ts'

/** Any order. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  return items
    .map((item, i) => ({ item, luck: chance(seed, i, 92) }))
    .sort((a, b) => a.luck - b.luck)
    .map(({ item }) => item)
}

/** A `share` of the packets comes once more, some time after the first. */
export function repeated(packets: readonly Packet[], share: number, seed: number): Packet[] {
  const dice = diceOf(seed, 93)
  const again = packets.flatMap((packet, i) =>
    dice.happens(share) ? [{ packet, place: dice.between(i, packets.length) }] : [],
  )
  return [...packets.map((packet, i) => ({ packet, place: i })), ...again]
    .sort((a, b) => a.place - b.place)
    .map(({ packet }) => packet)
}

/** A stretch of the packets, `share` of all, comes `later` packets late. */
export function delayed(packets: readonly Packet[], share: number, later: number, seed: number): Packet[] {
  const length = Math.floor(packets.length * share)
  // Something must come after it, or it would not be late.
  const from = diceOf(seed, 94).whole(0, packets.length - length - 1)
  const rest = packets.toSpliced(from, length)
  return rest.toSpliced(from + later, 0, ...packets.slice(from, from + length))
}

/** A dongle that had no network for long: first what is new, the last `live` packets, then all the others. */
export function liveFirst(packets: readonly Packet[], live: number): Packet[] {
  return [...packets.slice(packets.length - live), ...packets.slice(0, packets.length - live)]
}

/** What several dongles send, anyhow between one another; each keeps its order. */
export function interleaved(senders: readonly (readonly Packet[])[], seed: number): Packet[] {
  return senders
    .flatMap((packets, sender) => {
      const lots = packets.map((_, i) => chance(seed, sender, i)).sort((a, b) => a - b)
      return packets.map((packet, i) => ({ packet, lot: lots[i] ?? 1 }))
    })
    .sort((a, b) => a.lot - b.lot)
    .map(({ packet }) => packet)
}
