import { transmissionsBetween } from '../simulation/fleet/transmissions.ts'
import type { VirtualDongle } from '../simulation/fleet/virtual-fleet.ts'
import { fleetProgress } from './fleet-progress.ts'
import type { Pace } from './pace.ts'
import { sendFleet } from './send-fleet.ts'
import type { TruthTeller } from './truth-teller.ts'
import type { UplinkOptions, Uplinks } from './uplink.ts'

interface FleetRun {
  readonly fleet: readonly VirtualDongle[]
  /** After which a dongle begins to send. */
  readonly fromMs: (dongle: VirtualDongle) => number
  /** When all of them end; infinite for never. */
  readonly untilMs: number
  readonly pace: Pace
  readonly uplinks: (options: UplinkOptions) => Uplinks
  /** Most records a packet, 1 to 255; as many as dongles that catch up send unless told otherwise. */
  readonly packetRecords?: number
  readonly signal: AbortSignal
  readonly truth: TruthTeller | undefined
  /** The past is sent. */
  readonly onLive: (totals: FleetTotals) => void
}

export interface FleetTotals {
  readonly records: number
  readonly packets: number
  /** IMEIs of the dongles that the service refuses. */
  readonly refused: readonly number[]
  readonly tookMs: number
}

const PACKET_RECORDS = 20

/**
 * Drives a virtual fleet: its past with a progress bar, then the present as it happens, until it ends or is stopped.
 * @throws OperatorError when nothing can be sent at all, or the truth can not be written.
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
