import { setMaxListeners } from 'node:events'
import { SingleBar } from 'cli-progress'
import { pause } from '../../src/lib/clock.ts'
import { type InTurn, takingTurns } from '../../src/lib/semaphore.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { transmissionsBetween } from '../simulation/fleet/transmissions.ts'
import type { VirtualDongle } from '../simulation/fleet/virtual-fleet.ts'
import type { TruthTeller } from './truth.ts'
import type { UplinkOptions, Uplinks } from './uplinks.ts'

interface FleetRun {
  readonly fleet: readonly VirtualDongle[]
  readonly fromMs: (dongle: VirtualDongle) => number
  readonly untilMs: number
  readonly pace: Pace
  readonly uplinks: (options: UplinkOptions) => Uplinks
  /** Most records a packet, 1 to 255; as many as dongles that catch up send unless told otherwise. */
  readonly packetRecords?: number
  readonly signal: AbortSignal
  readonly truth: TruthTeller | undefined
  readonly onLive: (totals: FleetTotals) => void
}

export interface FleetTotals {
  readonly records: number
  readonly packets: number
  readonly refused: readonly number[]
  readonly tookMs: number
}

const PACKET_RECORDS = 20

/**
 * Drives a virtual fleet: its past with a progress bar, then the present as it happens, until it ends or is stopped.
 * @throws OperatorError when nothing can be sent at all, or the truth cannot be written.
 */
export async function runFleet(run: FleetRun): Promise<FleetTotals> {
  const { fleet, signal, truth, pace } = run
  const startMs = performance.now()
  const refused: number[] = []
  let records = 0
  let packets = 0
  const totals = (): FleetTotals => ({ records, packets, refused: [...refused], tookMs: performance.now() - startMs })
  const endMs = Math.min(pace.nowMs(), run.untilMs)
  const spanMs = fleet.reduce((sum, dongle) => sum + Math.max(0, endMs - run.fromMs(dongle)), 0)
  const progress = fleetProgress(spanMs)
  const dongles = fleet.map(virtual => ({
    deviceId: virtual.dongle.deviceId,
    virtual,
    transmissionsBetween: (fromMs: number, toMs: number) => transmissionsBetween(virtual, fromMs, toMs),
  }))
  try {
    await sendFleet({
      dongles,
      fromMs: ({ virtual }) => run.fromMs(virtual),
      untilMs: run.untilMs,
      pace,
      packetRecords: run.packetRecords ?? PACKET_RECORDS,
      uplinks: run.uplinks({ signal, onTrouble: why => progress.trouble(why) }),
      signal,
      async onAcknowledged({ virtual }, samples) {
        records += samples.length
        packets++
        progress.acknowledged(samples.length)
        await truth?.acknowledged(virtual, samples)
      },
      async onPassed({ virtual }, fromMs, toMs) {
        progress.passed(toMs - fromMs)
        await truth?.passed(virtual, toMs)
      },
      onRefused: ({ deviceId }) => refused.push(deviceId),
      onLive() {
        progress.stop()
        run.onLive(totals())
      },
    })
  } finally {
    progress.stop()
    await truth?.close()
  }
  return totals()
}

interface Transmission {
  readonly sentMs: number
  readonly samples: readonly Sample[]
}

interface SendingDongle {
  readonly deviceId: DeviceId
  transmissionsBetween(fromMs: number, toMs: number): Iterable<Transmission>
}

export interface FleetOptions<D extends SendingDongle> {
  readonly dongles: readonly D[]
  readonly fromMs: (dongle: D) => number
  readonly untilMs: number
  readonly pace: Pace
  readonly uplinks: Uplinks
  readonly packetRecords: number
  /** Ends the sending when what is on its way is acknowledged. */
  readonly signal: AbortSignal
  readonly onAcknowledged: (dongle: D, samples: readonly Sample[]) => Promise<void> | void
  readonly onPassed: (dongle: D, fromMs: number, toMs: number) => Promise<void> | void
  readonly onRefused: (dongle: D) => void
  /** No dongle has anything left of the past; those that were refused do not count. */
  readonly onLive: () => void
}

const CATCHING_UP_AT_ONCE = 200
const PAST_SLICE_MS = 12 * 3_600_000
const LIVE_SLICE_MS = 30 * 60_000
const LAST_WORDS_MS = 5000

/** Due transmissions are computed when their turn comes: an unavailable service costs neither memory nor samples. */
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

const LINE_EVERY_MS = 10_000
const STEPS = 1000

interface FleetProgress {
  passed(ms: number): void
  acknowledged(records: number): void
  trouble(why: string): void
  stop(): void
}

/** Shows on standard error how much of its past a fleet has sent: a bar, or a line now and then without a terminal. */
function fleetProgress(spanMs: number): FleetProgress {
  const bar = new SingleBar({
    format: '  {bar} {percentage}% | {records} records | {perS}/s{left}{note}',
    noTTYOutput: true,
    notTTYSchedule: LINE_EVERY_MS,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 30,
    barCompleteChar: '█',
    barIncompleteChar: '░',
  })
  const startMs = performance.now()
  const count = (number: number) => Math.round(number).toLocaleString('en-US')
  let passedMs = 0
  let records = 0
  const update = (note: string) => {
    const tookS = Math.max(0.001, (performance.now() - startMs) / 1000)
    const share = Math.min(1, passedMs / Math.max(1, spanMs))
    const left = share > 0 ? ` | ${count(Math.ceil((tookS * (1 - share)) / share))} s left` : ''
    const step = Math.floor(share * STEPS)
    if (bar.isActive) bar.update(step, { records: count(records), perS: count(records / tookS), left, note })
  }
  bar.start(STEPS, 0, { records: 0, perS: 0, left: '', note: '' })
  return {
    passed(ms) {
      passedMs += ms
      update('')
    },
    acknowledged(number) {
      records += number
      update('')
    },
    trouble: why => update(` | ${why}, trying again`),
    stop() {
      if (bar.isActive) bar.stop()
    },
  }
}

interface Pace {
  nowMs(): number
  until(timeMs: number, signal: AbortSignal): Promise<void>
}

const LONGEST_SLEEP_MS = 3_600_000

/** Simulated time never overtakes the clock. Without `speedup` the past is due at once, else it runs so much faster. */
export function paceOf({ fromMs, speedup }: { readonly fromMs: number; readonly speedup: number | undefined }): Pace {
  const begunMs = Date.now()
  const nowMs = () => {
    const clockMs = Date.now()
    return speedup === undefined ? clockMs : Math.min(clockMs, fromMs + (clockMs - begunMs) * speedup)
  }
  return {
    nowMs,
    async until(timeMs, signal) {
      while (!signal.aborted) {
        const clockMs = Date.now()
        // Due when both the clock and the simulated time have reached it.
        const aheadMs = Math.max(
          timeMs - clockMs,
          speedup === undefined ? 0 : (timeMs - fromMs) / speedup - (clockMs - begunMs),
        )
        if (aheadMs <= 0) return
        await pause(Math.min(Math.ceil(aheadMs), LONGEST_SLEEP_MS), signal)
      }
    },
  }
}
