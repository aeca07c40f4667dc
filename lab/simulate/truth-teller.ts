import { byClock } from '../../src/model/dongle-clock.ts'
import type { DeviceId, Sample } from '../../src/model/sample.ts'
import { fleetIncidents, incidentsKnownUntilMs } from '../accuracy/fleet-incidents.ts'
import type { Asked } from '../accuracy/true-incident.ts'
import { type FleetFaultCode, faultCodesBetween } from '../simulation/fleet/fault-truth.ts'
import { type FleetTrip, truthBetween, type WitnessedPath } from '../simulation/fleet/fleet-truth.ts'
import type { VirtualDongle } from '../simulation/fleet/virtual-fleet.ts'
import type { TruthWriter } from './truth-file.ts'
import { type DongleLine, type FaultLine, packTimes, type TripLine, type TruthLine } from './truth-lines.ts'

/** Working out what happened takes a while. */
const TOLD_EVERY_MS = 12 * 3_600_000
const DAY_MS = 24 * 3_600_000

/** Writes what happened to a fleet and what was acknowledged, while it drives. */
export class TruthTeller {
  readonly #writer: TruthWriter
  readonly #fromMs: number
  /** Until when each dongle has sent everything, and until when its truth is told. */
  readonly #passedMs = new Map<VirtualDongle, number>()
  readonly #toldMs = new Map<VirtualDongle, number>()

  /** Until when the incidents of each dongle are told. */
  readonly #incidentsToldMs = new Map<VirtualDongle, number>()
  readonly #asked: Asked | undefined

  readonly #faults = new Map<string, FaultLine['fault']>()

  /** @param asked what rules ask for; undefined: incidents are not told */
  constructor(writer: TruthWriter, fromMs: number, asked: Asked | undefined) {
    this.#writer = writer
    this.#asked = asked
    this.#fromMs = fromMs
  }

  async acknowledged({ dongle: { deviceId } }: VirtualDongle, records: readonly Sample[]): Promise<void> {
    const { samples, misdated } = byClock(records, Date.now())
    await this.#writeTimes(deviceId, samples, acknowledged => ({ acknowledged }))
    await this.#writeTimes(deviceId, misdated, times => ({ misdated: times }))
  }

  async #writeTimes(
    deviceId: DeviceId,
    samples: readonly Sample[],
    lineOf: (times: ReturnType<typeof packTimes>) => TruthLine,
  ): Promise<void> {
    const [first, ...others] = samples.map(({ timeMs }) => timeMs)
    if (first !== undefined) await this.#writer.write(lineOf(packTimes(deviceId, [first, ...others])))
  }

  /** All that the dongle sends until then is acknowledged. */
  async passed(dongle: VirtualDongle, toMs: number): Promise<void> {
    this.#passedMs.set(dongle, toMs)
    if (toMs - (this.#toldMs.get(dongle) ?? this.#fromMs) >= TOLD_EVERY_MS) await this.#write(dongle, toMs)
  }

  /** Tells the rest. */
  async close(): Promise<void> {
    for (const [dongle, passedMs] of this.#passedMs)
      if (passedMs > (this.#toldMs.get(dongle) ?? this.#fromMs)) await this.#write(dongle, passedMs)
    for (const [dongle, passedMs] of this.#passedMs) await this.#writeIncidents(dongle, passedMs, passedMs)
    await this.#writer.close()
  }

  async #write(dongle: VirtualDongle, toMs: number): Promise<void> {
    const { deviceId } = dongle.dongle
    if (!this.#toldMs.has(dongle)) await this.#writer.write(dongleLine(dongle))
    const fromMs = this.#toldMs.get(dongle) ?? this.#fromMs
    const { trips, stints } = truthBetween([dongle], fromMs, toMs, { afterMs: this.#fromMs })
    this.#toldMs.set(dongle, toMs)
    for (const stint of stints)
      await this.#writer.write({
        stint: { deviceId, vin: stint.vin, start: text(stint.fromMs), end: text(stint.toMs) },
      })
    for (const trip of trips) await this.#writeTrip(trip)
    // Of the whole time: a part of it does not show which list was the first.
    for (const code of faultCodesBetween([dongle], dongle.cars, this.#fromMs, toMs))
      await this.#writeFault(deviceId, code)
    await this.#writeIncidents(dongle, toMs, incidentsKnownUntilMs(dongle, this.#incidentsKnownMs(dongle), toMs))
    await this.#writer.write({ passed: [deviceId, toMs, allToldMs(dongle, toMs)] })
  }

  #incidentsKnownMs(dongle: VirtualDongle): number {
    return this.#incidentsToldMs.get(dongle) ?? this.#fromMs
  }

  async #writeIncidents(dongle: VirtualDongle, sentMs: number, untilMs: number): Promise<void> {
    const afterMs = this.#incidentsKnownMs(dongle)
    if (!this.#asked || untilMs <= afterMs) return
    this.#incidentsToldMs.set(dongle, untilMs)
    const sent = { fromMs: this.#fromMs, toMs: sentMs }
    for (const { kind, fromMs, toMs, vin, isSure } of fleetIncidents(dongle, this.#asked, sent, afterMs, untilMs))
      await this.#writer.write({
        incident: {
          deviceId: dongle.dongle.deviceId,
          vin,
          kind,
          start: text(fromMs),
          end: text(toMs),
          ...(!isSure && { isSure: false }),
        },
      })
  }

  /** Unless the same was told before. */
  async #writeFault(deviceId: DeviceId, { vin, code, fromMs, toMs, listed, cleared }: FleetFaultCode): Promise<void> {
    const key = `${deviceId} ${vin} ${code} ${fromMs}`
    const known = this.#faults.get(key)
    const fault = {
      deviceId,
      vin,
      code,
      start: text(fromMs),
      end: toMs === null ? null : text(toMs),
      listed: listed && text(listed.timeMs),
      cleared: cleared && text(cleared.timeMs),
    }
    const isKnown = known?.end === fault.end && known.listed === fault.listed && known.cleared === fault.cleared
    if (isKnown) return
    this.#faults.set(key, fault)
    await this.#writer.write({ fault })
  }

  async #writeTrip(drive: FleetTrip): Promise<void> {
    const { vin, witnessed, witnessedAfterSilence, distanceM, startMs, endMs } = drive
    if (!witnessed) return
    const whole = { drivenMetres: Math.round(distanceM), driveStart: text(startMs), driveEnd: text(endMs) }
    for (const path of [witnessed, ...witnessedAfterSilence])
      await this.#writer.write({ trip: { vin, ...pathLine(path), ...whole } })
  }
}

function dongleLine({ dongle, kind, isSecond, cars: [car] }: VirtualDongle): DongleLine {
  const { deviceId, intervals, silentAbout } = dongle
  return {
    dongle: {
      deviceId,
      kind,
      everyS: intervals.stepMs / 1000,
      ...(silentAbout.has('VIN') && { tellsVin: false }),
      ...(isSecond && { secondIn: car.car.vin }),
    },
  }
}

/** Most drives are known exactly: a line has fields about uncertainty only where there is one. */
function pathLine(path: WitnessedPath): Omit<TripLine['trip'], 'vin' | 'drivenMetres' | 'driveStart' | 'driveEnd'> {
  const [metres, mostMetres] = [Math.round(path.distanceM), Math.round(path.mostM)]
  return {
    deviceId: path.deviceId,
    start: text(path.startMs),
    end: text(path.endMs),
    metres,
    from: path.startPosition,
    to: path.endPosition,
    ...(path.earliestStartMs < path.startMs && { earliestStart: text(path.earliestStartMs) }),
    ...(path.latestEndMs > path.endMs && { latestEnd: text(path.latestEndMs) }),
    ...(mostMetres > metres && { mostMetres }),
    ...(!path.isSure && { isSure: false }),
    ...(path.joinsNextBelowMs > 0 && { joinsNextBelowMs: path.joinsNextBelowMs }),
    ...(path.faults.length > 0 && { faults: path.faults }),
  }
}

/** From when on there are trips that the dongle reports later, or has reported in part. */
function allToldMs(dongle: VirtualDongle, toMs: number): number {
  const { trips } = truthBetween([dongle], toMs, toMs + DAY_MS, { beforeMs: toMs })
  return Math.min(toMs, ...trips.map(({ startMs }) => startMs))
}

const text = (timeMs: number) => new Date(timeMs).toISOString()
