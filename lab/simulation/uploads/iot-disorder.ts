import type { Sample } from '../../../src/model/sample.ts'
import { diceOf } from '../dice.ts'
import { type Packet, packetsOf } from './packets.ts'

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
