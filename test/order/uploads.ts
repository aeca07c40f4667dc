import { chance, diceOf } from '../../lab/simulation/chance.ts'
import { eventsOf, type Sample, sampleOf } from '../../src/model/sample.ts'

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

/** The shares of the iot use case of the Time Series Benchmark Suite. */
export const IOT_DISORDER = {
  missingEntries: 0.1,
  missingBatches: 0.01,
  lateEntries: 0.3,
  lateBatches: 0.05,
} as const

interface IotUploads {
  /** What is sent at all, in order. */
  readonly samples: readonly Sample[]
  readonly packets: readonly Packet[]
}

/**
 * Uploads as that benchmark disturbs them: some samples and packets are never sent, some samples come in a later packet than
 * their own, some packets after later ones.
 */
export function iotUploads(samples: readonly Sample[], size: number, seed: number): IotUploads {
  const dice = diceOf(seed, 95)
  const entries = samples.filter(() => !dice.happens(IOT_DISORDER.missingEntries))
  const batches = packetsOf(entries, size).filter(() => !dice.happens(IOT_DISORDER.missingBatches))
  const late = (share: number, place: number, end: number) => (dice.happens(share) ? dice.between(place, end) : place)
  const lateEntries = batches
    .flatMap((batch, i) => batch.map(sample => ({ sample, place: late(IOT_DISORDER.lateEntries, i, batches.length) })))
    .sort((a, b) => a.place - b.place)
    .map(({ sample }) => sample)
  const packets = packetsOf(lateEntries, size)
    .map((packet, i) => ({ packet, place: late(IOT_DISORDER.lateBatches, i, batches.length) }))
    .sort((a, b) => a.place - b.place)
    .map(({ packet }) => packet)
  return { samples: batches.flat(), packets }
}

/** What a dongle sends at once. */
export type Packet = readonly Sample[]

/** Samples in packets of up to `size`, in their order; or packets in loads. */
export function packetsOf<Item>(items: readonly Item[], size: number): (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
}

/** A `share` of the samples in two pieces that have the same instant and other event types; both keep the place. */
export function inPieces(samples: readonly Sample[], share: number, seed: number): Sample[] {
  const dice = diceOf(seed, 91)
  return samples.flatMap(sample => {
    if (sample.types.length < 2 || !dice.happens(share)) return [sample]
    const events = [...eventsOf(sample)]
    const first = events.filter(() => dice.happens(0.5))
    const rest = events.filter(event => !first.includes(event))
    return [first, rest]
      .filter(part => part.length > 0)
      .map(part => sampleOf(sample.deviceId, sample.timeMs, new Map(part)))
  })
}
