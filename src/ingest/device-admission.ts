import type { Database } from '../db/database.ts'
import type { RejectionReason } from '../db/rejected-frames.ts'
import { type KnownReporter, readKnownReporters } from '../fleet/devices.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { type Networks, networksOf } from '../lib/networks.ts'
import { unavailable } from '../model/errors.ts'
import type { DeviceId } from '../model/sample.ts'
import type { JoiningOptions } from './store-batch.ts'

/** Whether a device without a key may report. */
export type Admission =
  | {
      readonly kind: 'admitted'
      /** The model; empty while nobody knows it. */
      readonly hardwareType: string
    }
  | {
      readonly kind: 'refused'
      readonly reason: RejectionReason
      /** A sentence for the operator. */
      readonly why: string
    }

/** The same wherever it comes from, and from where it may. */
type KnownAdmission = Admission & {
  /** undefined for anywhere. */
  readonly networks?: Networks | undefined
}

interface Remembered {
  readonly admission: KnownAdmission
  readonly untilMs: number
  readonly askedAgainFromMs: number
}

/** What is remembered of a device is at most so old: its model may become known, … */
const ADMITTED_MS = 5 * 60_000
/**
 * Whoever reports in the last minute of that is asked for again, together with others: one statement for each was a seventh of all with
 * a hundred dongles.
 */
const ASKED_AGAIN_FROM_MS = 4 * 60_000
const GATHERED_MS = 30_000
/** … and an operator who has just added it does not want to wait. */
const REFUSED_MS = 10_000
const MOST_REMEMBERED = 100_000
/** Beyond this, devices are told to come back later instead of filling the memory. */
const MOST_ASKED = 20_000

interface DeviceAdmissionOptions {
  readonly database: Database
  /** Whether unknown devices may join, and whom. */
  readonly joining: () => Promise<JoiningOptions>
  readonly clock?: Clock
}

/** Tells gateways of dongles who may report, so that a stranger is turned away before it sends anything. */
export class DeviceAdmission {
  readonly #options: DeviceAdmissionOptions
  readonly #clock: Clock
  /** In the order in which they were learned. */
  readonly #remembered = new Map<DeviceId, Remembered>()
  /** Who is asked for in the next query, which waits for the one before: a fleet that comes back at once asks in few. */
  #wanted = new Set<DeviceId>()
  #next: Promise<ReadonlyMap<DeviceId, KnownAdmission>> | undefined
  #current: Promise<unknown> = Promise.resolve()
  /** When those who are asked for again have been gathered; undefined while there are none. */
  #gatheredMs: number | undefined

  constructor(options: DeviceAdmissionOptions) {
    this.#options = options
    this.#clock = options.clock ?? SYSTEM_CLOCK
  }

  /** What is remembered of a device that comes from that address; undefined when it must be asked for. */
  remembered(deviceId: DeviceId, address: string): Admission | undefined {
    const known = this.#remembered.get(deviceId)
    const nowMs = this.#clock.monotonicMs()
    if (!known || nowMs >= known.untilMs) return undefined
    if (nowMs >= known.askedAgainFromMs) this.#askAgain(deviceId, nowMs)
    return seenFrom(address, deviceId, known.admission)
  }

  /** @throws ClientError 503 when this can not be determined at the moment. */
  async admit(deviceId: DeviceId, address: string): Promise<Admission> {
    const remembered = this.remembered(deviceId, address)
    if (remembered) return remembered
    if (this.#wanted.size >= MOST_ASKED) throw unavailable('More devices arrive than can be looked up.', 1)
    this.#wanted.add(deviceId)
    this.#next ??= this.#askNext()
    return seenFrom(address, deviceId, (await this.#next).get(deviceId) ?? unknown(deviceId))
  }

  /** Before what is remembered of it is too old, so that it need not wait. */
  #askAgain(deviceId: DeviceId, nowMs: number): void {
    if (this.#wanted.size >= MOST_ASKED) return
    this.#wanted.add(deviceId)
    this.#gatheredMs ??= nowMs + GATHERED_MS
    if (nowMs < this.#gatheredMs || this.#next) return
    this.#next = this.#askNext()
    // Whoever is not told now is asked for when it is too old.
    this.#next.catch(() => undefined)
  }

  async #askNext(): Promise<ReadonlyMap<DeviceId, KnownAdmission>> {
    await this.#current.catch(() => undefined)
    const deviceIds = [...this.#wanted]
    this.#wanted = new Set()
    this.#gatheredMs = undefined
    this.#next = undefined
    const asked = this.#ask(deviceIds)
    this.#current = asked
    return asked
  }

  async #ask(deviceIds: readonly DeviceId[]): Promise<ReadonlyMap<DeviceId, KnownAdmission>> {
    const { database, joining } = this.#options
    const reporters = await readKnownReporters(database, deviceIds)
    const { unknownDevices, firstAccountId } = await joining()
    const mayJoin = unknownDevices === 'accept' && firstAccountId !== undefined
    const nowMs = this.#clock.monotonicMs()
    const admissions = new Map<DeviceId, KnownAdmission>()
    for (const deviceId of deviceIds) {
      const known = reporters.get(deviceId)
      const admission = known ? admissionOf(deviceId, known) : mayJoin ? NEWCOMER : unknown(deviceId)
      admissions.set(deviceId, admission)
      const isRefused = admission.kind === 'refused'
      const untilMs = nowMs + (isRefused ? REFUSED_MS : ADMITTED_MS)
      this.#remember(deviceId, {
        admission,
        untilMs,
        askedAgainFromMs: isRefused ? untilMs : nowMs + ASKED_AGAIN_FROM_MS,
      })
    }
    return admissions
  }

  #remember(deviceId: DeviceId, remembered: Remembered): void {
    this.#remembered.delete(deviceId)
    this.#remembered.set(deviceId, remembered)
    if (this.#remembered.size <= MOST_REMEMBERED) return
    const [oldest] = this.#remembered.keys()
    if (oldest !== undefined) this.#remembered.delete(oldest)
  }
}

const NEWCOMER: KnownAdmission = { kind: 'admitted', hardwareType: '' }

const unknown = (deviceId: DeviceId): KnownAdmission => ({
  kind: 'refused',
  reason: 'unknown device',
  why: `The device ${deviceId} is unknown and may not join.`,
})

function admissionOf(deviceId: DeviceId, { hardwareType, networks, isClaimed }: KnownReporter): KnownAdmission {
  if (isClaimed)
    return {
      kind: 'refused',
      reason: 'claimed device',
      why: `The device ${deviceId} was registered by an account to which it was not handed out; see \`tacho device claims\``,
    }
  return { kind: 'admitted', hardwareType, networks: networks.length > 0 ? networksOf(networks) : undefined }
}

function seenFrom(address: string, deviceId: DeviceId, admission: KnownAdmission): Admission {
  if (!admission.networks || admission.networks.has(address)) return admission
  return { kind: 'refused', reason: 'network', why: `The device ${deviceId} may not report from ${address}.` }
}
