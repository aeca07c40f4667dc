import { eventsOf, type Sample, sampleOf } from '../../../src/model/sample.ts'
import { diceOf } from '../dice.ts'

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
