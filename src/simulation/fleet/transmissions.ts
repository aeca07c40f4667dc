import type { Sample } from '../../intake/sample.ts'
import { sampleOfReading } from '../recording.ts'
import { type DongleDay, dongleDays, plainReadings } from './dongle-day.ts'
import type { VirtualDongle } from './virtual-fleet.ts'

/** What a dongle sends at once. */
export interface Transmission {
  readonly sentMs: number
  readonly samples: readonly Sample[]
}

/** From the instant of a sample until it is sent. */
function latencyMs({ seed }: VirtualDongle): number {
  return 200 + (seed % 1500)
}

/**
 * What a dongle sends, by when it sends it: each transmission comes once within (fromMs, toMs], in the order of sending.
 * However a time is cut, the same comes.
 */
export function* transmissionsBetween(
  virtualDongle: VirtualDongle,
  fromMs: number,
  toMs: number,
): Generator<Transmission> {
  const delayMs = latencyMs(virtualDongle)
  for (const day of dongleDays(virtualDongle, fromMs - delayMs, toMs)) yield* live(virtualDongle, day, fromMs, toMs)
}

function* live(virtualDongle: VirtualDongle, day: DongleDay, fromMs: number, toMs: number): Generator<Transmission> {
  const delayMs = latencyMs(virtualDongle)
  for (const reading of plainReadings(day, fromMs - delayMs, toMs - delayMs))
    yield { sentMs: reading.takenMs + delayMs, samples: [sampleOfReading(virtualDongle.dongle, reading)] }
}
