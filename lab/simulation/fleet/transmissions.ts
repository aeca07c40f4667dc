import type { Sample } from '../../../src/model/sample.ts'
import { chance } from '../chance.ts'
import type { Span } from '../disturbances/disturbance.ts'
import type { Reading } from '../readings.ts'
import { sampleOfReading } from '../recording.ts'
import { type DongleDay, disturbedDay, dongleDays, faultSeed, isDisturbed, plainReadings } from './dongle-day.ts'
import { recentDays } from './recent-days.ts'
import type { VirtualDongle } from './virtual-fleet.ts'

export interface Transmission {
  readonly sentMs: number
  readonly samples: readonly Sample[]
}

const worked = recentDays<readonly Transmission[]>(1)

/** Each transmission comes once within (fromMs, toMs], in the order of sending, however a time is cut. */
export function* transmissionsBetween(
  virtualDongle: VirtualDongle,
  fromMs: number,
  toMs: number,
): Generator<Transmission> {
  const delayMs = latencyMs(virtualDongle)
  for (const day of dongleDays(virtualDongle, fromMs - delayMs, toMs)) {
    if (!isDisturbed(virtualDongle)) {
      for (const reading of plainReadings(day, fromMs - delayMs, toMs - delayMs))
        yield sent(virtualDongle, reading.takenMs + delayMs, [reading])
      continue
    }
    for (const transmission of worked(virtualDongle, day.day, () => transmissionsOf(virtualDongle, day)))
      if (fromMs < transmission.sentMs && transmission.sentMs <= toMs) yield transmission
  }
}

interface TimeOfDay {
  readonly startMs: number
  readonly endMs: number
}

/** By when the dongle has sent all that it recorded in a time of that day. */
export function toldAtMs(virtualDongle: VirtualDongle, day: DongleDay, { startMs, endMs }: TimeOfDay): number {
  const liveMs = endMs + latencyMs(virtualDongle)
  if (!isDisturbed(virtualDongle)) return liveMs
  const backlogs = disturbedDay(virtualDongle, day)
    .offline.filter(({ fromMs, toMs }) => fromMs <= endMs && toMs >= startMs)
    .map(span => backlogOf(virtualDongle, bufferedReadings(virtualDongle, day, span), span).at(-1)?.sentMs ?? 0)
  return Math.max(liveMs, ...backlogs)
}

/** From the instant of a sample until it is sent; always the same for a dongle, so that live samples keep their order. */
function latencyMs({ seed }: VirtualDongle): number {
  return 200 + (seed % 1500)
}

function sent({ dongle }: VirtualDongle, sentMs: number, readings: readonly Reading[]): Transmission {
  return { sentMs, samples: readings.map(reading => sampleOfReading(dongle, reading)) }
}

function transmissionsOf(virtualDongle: VirtualDongle, day: DongleDay): readonly Transmission[] {
  const { recording, offline } = disturbedDay(virtualDongle, day)
  const delayMs = latencyMs(virtualDongle)
  const isBuffered = ({ takenMs }: Reading) => offline.some(({ fromMs, toMs }) => fromMs <= takenMs && takenMs <= toMs)
  const once = [
    ...recording.readings
      .filter(reading => !isBuffered(reading))
      .map(reading => sent(virtualDongle, reading.takenMs + delayMs, [reading])),
    ...offline.flatMap(span => backlogOf(virtualDongle, bufferedReadings(virtualDongle, day, span), span)),
  ]
  const again = virtualDongle.faults.has('duplicates') ? repeatedOf(once, virtualDongle, day) : []
  return [...once, ...again].sort((a, b) => a.sentMs - b.sentMs)
}

/** Each belongs to the time without network in which it was taken first, and is sent once. */
function bufferedReadings(virtualDongle: VirtualDongle, day: DongleDay, span: Span): Reading[] {
  const { recording, offline } = disturbedDay(virtualDongle, day)
  return recording.readings.filter(
    ({ takenMs }) => offline.find(({ fromMs, toMs }) => fromMs <= takenMs && takenMs <= toMs) === span,
  )
}

const BACKLOG_PACKET_SIZE = 10
/** New records come first: by then something was recorded and sent. */
const BACKLOG_AFTER_MS = 12_000
const BACKLOG_EVERY_MS = 1500

/** Records from a time without network, sent when it is there again: oldest first, in packets, between the live ones. */
function backlogOf(virtualDongle: VirtualDongle, readings: readonly Reading[], { toMs }: Span): Transmission[] {
  const beginMs = Math.ceil(toMs) + BACKLOG_AFTER_MS
  return Array.from({ length: Math.ceil(readings.length / BACKLOG_PACKET_SIZE) }, (_, i) => {
    const packet = readings.slice(i * BACKLOG_PACKET_SIZE, (i + 1) * BACKLOG_PACKET_SIZE)
    return sent(virtualDongle, beginMs + i * BACKLOG_EVERY_MS, packet)
  })
}

const SHARE_REPEATED = 0.03
const REPEATED_WITHIN_MS = 60_000

function repeatedOf(
  transmissions: readonly Transmission[],
  virtualDongle: VirtualDongle,
  day: DongleDay,
): Transmission[] {
  const seed = faultSeed(virtualDongle, day, 'duplicates')
  return transmissions.flatMap(({ sentMs, samples }, i) => {
    const laterMs = 3000 + Math.floor(chance(seed, i, 2) * REPEATED_WITHIN_MS)
    // What was sent today is repeated today, so that days follow one another.
    const isMeant = chance(seed, i, 1) < SHARE_REPEATED && sentMs + laterMs < day.plan.toMs
    return isMeant ? [{ sentMs: sentMs + laterMs, samples }] : []
  })
}
