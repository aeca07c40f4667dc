import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { RuleKindName } from '../../src/catalogue/rule-kinds/index.ts'
import { byClock } from '../../src/model/dongle-clock.ts'
import { OperatorError } from '../../src/model/errors.ts'
import type { DeviceId, Position, Sample } from '../../src/model/sample.ts'
import { fleetIncidents, incidentsKnownUntilMs } from '../accuracy/incidents.ts'
import type { Asked } from '../accuracy/true-incidents.ts'
import {
  type FleetFaultCode,
  type FleetTrip,
  faultCodesBetween,
  truthBetween,
  type WitnessedPath,
} from '../simulation/fleet/fleet-truth.ts'
import type { VirtualDongle } from '../simulation/fleet/virtual-fleet.ts'

const TOLD_EVERY_MS = 12 * 3_600_000
const DAY_MS = 24 * 3_600_000

export class TruthTeller {
  readonly #writer: TruthWriter
  readonly #fromMs: number
  readonly #passedMs = new Map<VirtualDongle, number>()
  readonly #toldMs = new Map<VirtualDongle, number>()

  readonly #incidentsToldMs = new Map<VirtualDongle, number>()
  readonly #asked: Asked | undefined

  readonly #faults = new Map<string, FaultLine['fault']>()

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
    readLine: (times: ReturnType<typeof packTimes>) => TruthLine,
  ): Promise<void> {
    const [first, ...others] = samples.map(({ timeMs }) => timeMs)
    if (first !== undefined) await this.#writer.write(readLine(packTimes(deviceId, [first, ...others])))
  }

  async passed(dongle: VirtualDongle, toMs: number): Promise<void> {
    this.#passedMs.set(dongle, toMs)
    if (toMs - (this.#toldMs.get(dongle) ?? this.#fromMs) >= TOLD_EVERY_MS) await this.#write(dongle, toMs)
  }

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
        stint: { deviceId, vin: stint.vin, start: timeText(stint.fromMs), end: timeText(stint.toMs) },
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
          start: timeText(fromMs),
          end: timeText(toMs),
          ...(!isSure && { isSure: false }),
        },
      })
  }

  async #writeFault(deviceId: DeviceId, { vin, code, fromMs, toMs, listed, cleared }: FleetFaultCode): Promise<void> {
    const key = `${deviceId} ${vin} ${code} ${fromMs}`
    const known = this.#faults.get(key)
    const fault = {
      deviceId,
      vin,
      code,
      start: timeText(fromMs),
      end: toMs === null ? null : timeText(toMs),
      listed: listed && timeText(listed.timeMs),
      cleared: cleared && timeText(cleared.timeMs),
    }
    const isKnown = known?.end === fault.end && known.listed === fault.listed && known.cleared === fault.cleared
    if (isKnown) return
    this.#faults.set(key, fault)
    await this.#writer.write({ fault })
  }

  async #writeTrip(drive: FleetTrip): Promise<void> {
    const { vin, witnessed, witnessedAfterSilence, distanceM, startMs, endMs } = drive
    if (!witnessed) return
    const whole = { drivenMetres: Math.round(distanceM), driveStart: timeText(startMs), driveEnd: timeText(endMs) }
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
    start: timeText(path.startMs),
    end: timeText(path.endMs),
    metres,
    from: path.startPosition,
    to: path.endPosition,
    ...(path.earliestStartMs < path.startMs && { earliestStart: timeText(path.earliestStartMs) }),
    ...(path.latestEndMs > path.endMs && { latestEnd: timeText(path.latestEndMs) }),
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

const timeText = (timeMs: number) => new Date(timeMs).toISOString()

/* The lines of a truth file; README.md says what each means. Fields about uncertainty are there only where there is some. */

export interface FleetLine {
  readonly fleet: {
    readonly vehicles: number
    readonly seed: number
    readonly faults: readonly string[]
    readonly fromMs: number
    readonly dongles?: readonly string[]
    readonly intervalS?: number
    readonly twoDongles?: number
    /** The parameters of the rules that should find the incidents of the truth. */
    readonly incidents?: Asked
  }
}

export interface DongleLine {
  readonly dongle: {
    readonly deviceId: DeviceId
    readonly kind: string
    /** Seconds between two records of a car that is driven. */
    readonly everyS: number
    /** It reads no VIN, so only an operator knows in which car it is. */
    readonly tellsVin?: false
    readonly secondIn?: string
  }
}

export interface StintLine {
  readonly stint: {
    readonly deviceId: DeviceId
    readonly vin: string
    readonly start: string
    readonly end: string
  }
}

interface AcknowledgedLine {
  readonly acknowledged: readonly [deviceId: DeviceId, firstMs: number, ...laterMs: number[]]
}

interface MisdatedLine {
  readonly misdated: AcknowledgedLine['acknowledged']
}

interface PassedLine {
  readonly passed: readonly [deviceId: DeviceId, untilMs: number, allToldMs: number]
}

export interface TripLine {
  readonly trip: {
    readonly deviceId: DeviceId
    readonly vin: string
    readonly start: string
    readonly end: string
    readonly metres: number
    readonly from: Position
    readonly to: Position
    readonly drivenMetres: number
    readonly driveStart: string
    readonly driveEnd: string
    readonly earliestStart?: string
    readonly latestEnd?: string
    readonly mostMetres?: number
    readonly isSure?: false
    readonly joinsNextBelowMs?: number
    readonly faults?: readonly string[]
  }
}

/** A later line of the same dongle, car, code and start takes its place. */
export interface FaultLine {
  readonly fault: {
    readonly deviceId: DeviceId
    readonly vin: string
    readonly code: string
    readonly start: string
    readonly end: string | null
    readonly listed: string | null
    readonly cleared: string | null
  }
}

export interface IncidentLine {
  readonly incident: {
    readonly deviceId: DeviceId
    readonly vin: string
    readonly kind: RuleKindName
    readonly start: string
    readonly end: string
    readonly isSure?: false
  }
}

/** A line of a truth file, which is JSON Lines: what is written stays usable whenever the writer is killed. */
export type TruthLine =
  | FleetLine
  | DongleLine
  | StintLine
  | AcknowledgedLine
  | MisdatedLine
  | PassedLine
  | TripLine
  | FaultLine
  | IncidentLine

export function packTimes(
  deviceId: DeviceId,
  [firstMs, ...othersMs]: readonly [number, ...number[]],
): AcknowledgedLine['acknowledged'] {
  let beforeMs = firstMs
  const laterMs = othersMs.map(timeMs => {
    const difference = timeMs - beforeMs
    beforeMs = timeMs
    return difference
  })
  return [deviceId, firstMs, ...laterMs]
}

export function timesOf([, firstMs, ...laterMs]: AcknowledgedLine['acknowledged']): number[] {
  let timeMs = firstMs
  return [firstMs, ...laterMs.map(difference => (timeMs += difference))]
}

interface TruthWriter {
  write(line: TruthLine): Promise<void>
  close(): Promise<void>
}

/** Appends each line as soon as it is true. @throws OperatorError when there can be no such file. */
export async function writeTruth(path: string, fleet: FleetLine): Promise<TruthWriter> {
  const file = createWriteStream(path)
  file.setMaxListeners(0)
  try {
    await once(file, 'open')
  } catch (error) {
    throw new OperatorError(`The truth cannot be written: ${(error as Error).message}.`)
  }
  let failure: Error | undefined
  file.on('error', error => {
    failure = error
  })
  const write = async (line: TruthLine) => {
    if (failure) throw new OperatorError(`The truth cannot be written: ${failure.message}.`)
    if (!file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain')
  }
  await write(fleet)
  return {
    write,
    async close() {
      if (failure) return
      file.end()
      await once(file, 'close')
    },
  }
}

/** Reads a truth file line by line; a last line that was cut is left out. @throws OperatorError when it is none. */
export async function* readTruth(path: string): AsyncGenerator<TruthLine> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })
  let lineNumber = 0
  let cutLine: number | undefined
  try {
    for await (const text of lines) {
      lineNumber++
      if (cutLine !== undefined) throw new OperatorError(`${path}, line ${cutLine}: this is no line of a truth file.`)
      const line = lineOf(text)
      if (line) yield line
      else cutLine = lineNumber
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`The truth cannot be read: ${(error as Error).message}.`)
  }
  if (lineNumber === 0 || cutLine === 1) throw new OperatorError(`${path} is no truth file.`)
}

const KINDS = ['fleet', 'dongle', 'stint', 'acknowledged', 'misdated', 'passed', 'trip', 'fault', 'incident']

function lineOf(text: string): TruthLine | undefined {
  try {
    const line: unknown = JSON.parse(text)
    const [kind = ''] = Object.keys(Object(line) as object)
    return KINDS.includes(kind) ? (line as TruthLine) : undefined
  } catch {
    return undefined
  }
}
