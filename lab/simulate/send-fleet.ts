import { setMaxListeners } from 'node:events'
import { type InTurn, takingTurns } from '../../src/lib/semaphore.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import type { Pace } from './pace.ts'
import type { Uplinks } from './uplink.ts'

/** What a dongle sends at one instant; the samples may be much older. */
interface Transmission {
  readonly sentMs: number
  readonly samples: readonly Sample[]
}

interface SendingDongle {
  readonly deviceId: DeviceId
  /** What it sends after `fromMs` up to and including `toMs`, in that order; the same whenever it is asked. */
  transmissionsBetween(fromMs: number, toMs: number): Iterable<Transmission>
}

export interface FleetOptions<D extends SendingDongle> {
  readonly dongles: readonly D[]
  /** After which the dongle begins: what it sent until then is known. */
  readonly fromMs: (dongle: D) => number
  /** When all of them end; infinite for never. */
  readonly untilMs: number
  readonly pace: Pace
  readonly uplinks: Uplinks
  /** Most records a packet, 1 to 255. */
  readonly packetRecords: number
  /** Ends the sending when what is on its way is acknowledged. */
  readonly signal: AbortSignal
  readonly onAcknowledged: (dongle: D, samples: readonly Sample[]) => Promise<void> | void
  /** All that the dongle sends until then is acknowledged. */
  readonly onPassed: (dongle: D, fromMs: number, toMs: number) => Promise<void> | void
  readonly onRefused: (dongle: D) => void
  /** No dongle has anything left of the past; those that were refused do not count. */
  readonly onLive: () => void
}

/** How many dongles send their past at the same time, each a slice of time in turn. */
const CATCHING_UP_AT_ONCE = 200
const PAST_SLICE_MS = 12 * 3_600_000
const LIVE_SLICE_MS = 30 * 60_000
/** How long to wait at the end for what is still unacknowledged. */
const LAST_WORDS_MS = 5000

/**
 * Each dongle sends its transmissions in order and as fast as they are acknowledged. What is due and not sent yet is not
 * stored anywhere: it is computed when its turn comes, so an unavailable service costs neither memory nor samples.
 * @throws OperatorError when nothing can be sent at all.
 */
export async function sendFleet<D extends SendingDongle>(options: FleetOptions<D>): Promise<void> {
  const { dongles, uplinks, onLive } = options
  const failed = new AbortController()
  const signal = AbortSignal.any([options.signal, failed.signal])
  // Each dongle waits for it.
  setMaxListeners(0, signal, options.signal)
  const cutLater = () => setTimeout(() => void uplinks.cut(), LAST_WORDS_MS).unref()
  signal.addEventListener('abort', cutLater, { once: true })
  let behind = dongles.length
  const sending: Sending<D> = {
    options,
    signal,
    inTurn: takingTurns(CATCHING_UP_AT_ONCE),
    onCaughtUp() {
      behind--
      if (behind === 0 && !signal.aborted) onLive()
    },
  }
  await Promise.all(
    dongles.map(dongle =>
      sendDongle(dongle, sending).catch((error: unknown) => {
        if (!signal.aborted) failed.abort(error)
      }),
    ),
  )
  signal.removeEventListener('abort', cutLater)
  await uplinks.cut()
  failed.signal.throwIfAborted()
}

interface Sending<D extends SendingDongle> {
  readonly options: FleetOptions<D>
  readonly signal: AbortSignal
  readonly inTurn: InTurn
  readonly onCaughtUp: () => void
}

class Refused extends Error {}

/** @throws when the signal aborts, or nothing can be sent at all. */
async function sendDongle<D extends SendingDongle>(
  dongle: D,
  { options, signal, inTurn, onCaughtUp }: Sending<D>,
): Promise<void> {
  const { pace, untilMs } = options
  const uplink = options.uplinks.of(dongle.deviceId)
  let packet: Sample[] = []
  let isBehind = true

  const caughtUp = () => {
    if (isBehind) onCaughtUp()
    isBehind = false
  }
  const flush = async () => {
    if (packet.length === 0) return
    const samples = packet
    packet = []
    signal.throwIfAborted()
    const acknowledged = await uplink.send(samples)
    if (!acknowledged) throw new Refused()
    await options.onAcknowledged(dongle, acknowledged)
  }
  const waitUntil = async (timeMs: number) => {
    await flush()
    caughtUp()
    await pace.until(timeMs, signal)
    signal.throwIfAborted()
  }
  const sendSlice = async (fromMs: number, toMs: number) => {
    // Before anything is computed for a dongle that waited for its turn.
    signal.throwIfAborted()
    // All of it at once: if it were computed in part, each waiting dongle would hold days in memory.
    const transmissions = [...dongle.transmissionsBetween(fromMs, toMs)]
    for (const { sentMs, samples } of transmissions) {
      if (sentMs > pace.nowMs()) await waitUntil(sentMs)
      for (const sample of samples) {
        packet.push(sample)
        if (packet.length === options.packetRecords) await flush()
      }
    }
    await flush()
    if (toMs > pace.nowMs()) await waitUntil(toMs)
  }

  try {
    for (let fromMs = options.fromMs(dongle), toMs = fromMs; fromMs < untilMs; fromMs = toMs) {
      const dueMs = Math.min(pace.nowMs(), untilMs)
      const isPast = dueMs - fromMs > LIVE_SLICE_MS
      toMs = isPast ? Math.min(fromMs + PAST_SLICE_MS, dueMs) : Math.min(fromMs + LIVE_SLICE_MS, untilMs)
      if (isPast) await inTurn(() => sendSlice(fromMs, toMs))
      else await sendSlice(fromMs, toMs)
      signal.throwIfAborted()
      await options.onPassed(dongle, fromMs, toMs)
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    options.onRefused(dongle)
  }
  caughtUp()
}
