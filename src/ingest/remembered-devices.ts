import type { Database } from '../db/database.ts'
import type { RejectionReason } from '../db/rejected-frames.ts'
import { type KnownReporter, readDeviceOwners, readKnownReporters } from '../fleet/devices.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import { type Networks, networksOf } from '../lib/networks.ts'
import { unavailable } from '../model/errors.ts'
import type { DeviceId } from '../model/sample.ts'
import type { JoiningOptions } from './store-batch.ts'

/** The decision about a device without a key. */
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

/** The same wherever it comes from, and from where it may; undefined for anywhere. */
type KnownAdmission = Admission & { readonly networks?: Networks | undefined }

interface DeviceAdmissionOptions {
  readonly database: Database
  readonly joining: () => Promise<JoiningOptions>
  readonly clock?: Clock
}

/** Decides for gateways of dongles which devices may report, so that a stranger is turned away before it sends anything. */
export class DeviceAdmission {
  readonly #options: DeviceAdmissionOptions
  readonly #devices: RememberedDevices<KnownAdmission>

  constructor(options: DeviceAdmissionOptions) {
    this.#options = options
    this.#devices = new RememberedDevices({
      read: deviceIds => this.#read(deviceIds),
      // The model of an admitted device may become known; an operator who has just added a refused one does not want to wait.
      lifetimeOf: ({ kind }) =>
        kind === 'admitted' ? { freshMs: 4 * 60_000, usableMs: 5 * 60_000 } : { freshMs: 10_000, usableMs: 10_000 },
      gatherMs: 30_000,
      mostWanted: MOST_ADMITTED_AT_ONCE,
      clock: options.clock ?? SYSTEM_CLOCK,
    })
  }

  /** The admission of a device that comes from that address; undefined when it must be looked up. */
  remembered(deviceId: DeviceId, address: string): Admission | undefined {
    const known = this.#devices.remembered(deviceId)
    return known && seenFrom(address, deviceId, known)
  }

  /** @throws ClientError 503 when this cannot be determined now. */
  async admit(deviceId: DeviceId, address: string): Promise<Admission> {
    return seenFrom(address, deviceId, await this.#devices.lookUp(deviceId))
  }

  async #read(deviceIds: readonly DeviceId[]): Promise<ReadonlyMap<DeviceId, KnownAdmission>> {
    const { database, joining } = this.#options
    const reporters = await readKnownReporters(database, deviceIds)
    const { unknownDevices, firstAccountId } = await joining()
    const mayJoin = unknownDevices === 'accept' && firstAccountId !== undefined
    return new Map(deviceIds.map(id => [id, admissionOf(id, reporters.get(id), mayJoin)]))
  }
}

/** Remembers which account a dongle belongs to, for code that shares resources by account. */
export class DeviceOwners {
  readonly #devices: RememberedDevices<{ readonly accountId: number | undefined }>

  constructor(database: Database, clock: Clock = SYSTEM_CLOCK) {
    this.#devices = new RememberedDevices({
      read: async deviceIds => {
        const owners = await readDeviceOwners(database, deviceIds)
        return new Map(deviceIds.map(id => [id, { accountId: owners.get(id) }]))
      },
      // A dongle may move to another account. The account of a minute ago is better than none.
      lifetimeOf: () => ({ freshMs: 60_000, usableMs: Number.POSITIVE_INFINITY }),
      gatherMs: 10_000,
      // Samples of a dongle whose account is not known would count as those of the first account.
      mostWanted: MOST_REMEMBERED,
      clock,
    })
  }

  /** Answers at once, and looks up an unknown dongle in the background. @returns undefined while it is not known */
  of(deviceId: DeviceId): number | undefined {
    const known = this.#devices.remembered(deviceId)
    if (!known) void this.learn(deviceId)
    return known?.accountId
  }

  /** True if it was looked up since this process started, even if it is not registered. */
  hasAsked(deviceId: DeviceId): boolean {
    return this.#devices.remembered(deviceId) !== undefined
  }

  /** Resolves when the dongle was looked up, or the lookup failed. */
  async learn(deviceId: DeviceId): Promise<void> {
    await this.#devices.lookUp(deviceId).catch(() => undefined)
  }
}

function admissionOf(deviceId: DeviceId, known: KnownReporter | undefined, mayJoin: boolean): KnownAdmission {
  if (!known)
    return mayJoin
      ? { kind: 'admitted', hardwareType: '' }
      : {
          kind: 'refused',
          reason: 'unknown device',
          why: `The device ${deviceId} is unknown and may not join.`,
        }
  const { hardwareType, networks, isClaimed } = known
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

interface RememberedOptions<Value> {
  /** @returns a value for each of the devices */
  readonly read: (deviceIds: readonly DeviceId[]) => Promise<ReadonlyMap<DeviceId, Value>>
  /** From when on a value is looked up again in the background, and until when it is used. */
  readonly lifetimeOf: (value: Value) => { readonly freshMs: number; readonly usableMs: number }
  /** Devices that are looked up again are gathered for so long: one statement for each cost more than what they sent. */
  readonly gatherMs: number
  /** Devices looked up by one query; others must come back later instead of filling the memory. */
  readonly mostWanted: number
  readonly clock: Clock
}

/** Each process has as many dongles as there are connections, and those of brokers. */
const MOST_REMEMBERED = 200_000
const MOST_ADMITTED_AT_ONCE = 20_000

/** Remembers a value for each device. One query at a time looks up all that are wanted: a fleet that comes back at once needs few. */
class RememberedDevices<Value> {
  readonly #options: RememberedOptions<Value>
  /** The one looked up longest ago first. */
  readonly #remembered = new Map<DeviceId, { value: Value; fromMs: number; untilMs: number }>()
  /** The devices of the next query. */
  #wanted = new Set<DeviceId>()
  #next: Promise<ReadonlyMap<DeviceId, Value>> | undefined
  #current: Promise<unknown> = Promise.resolve()
  /** When those that are looked up again have been gathered; undefined while there are none. */
  #gatheredMs: number | undefined

  constructor(options: RememberedOptions<Value>) {
    this.#options = options
  }

  remembered(deviceId: DeviceId): Value | undefined {
    const known = this.#remembered.get(deviceId)
    if (!known) return undefined
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs < known.fromMs) return known.value
    if (nowMs >= known.untilMs) return undefined
    this.#lookUpAgain(deviceId, nowMs)
    return known.value
  }

  /** @throws ClientError 503 when too many devices are wanted; the error of the query. */
  async lookUp(deviceId: DeviceId): Promise<Value> {
    const remembered = this.remembered(deviceId)
    if (remembered !== undefined) return remembered
    if (this.#isFull(deviceId)) throw unavailable('More devices arrive than can be looked up.', 1)
    this.#wanted.add(deviceId)
    this.#next ??= this.#lookUpNext()
    const value = (await this.#next).get(deviceId)
    if (value === undefined) throw new Error(`nothing was read of the device ${deviceId}`)
    return value
  }

  #isFull(deviceId: DeviceId): boolean {
    return this.#wanted.size >= this.#options.mostWanted && !this.#wanted.has(deviceId)
  }

  #lookUpAgain(deviceId: DeviceId, nowMs: number): void {
    if (this.#isFull(deviceId)) return
    this.#wanted.add(deviceId)
    this.#gatheredMs ??= nowMs + this.#options.gatherMs
    if (nowMs < this.#gatheredMs || this.#next) return
    this.#next = this.#lookUpNext()
    // It is tried again when the device reports again.
    this.#next.catch(() => undefined)
  }

  async #lookUpNext(): Promise<ReadonlyMap<DeviceId, Value>> {
    await this.#current.catch(() => undefined)
    const deviceIds = [...this.#wanted]
    this.#wanted = new Set()
    this.#gatheredMs = undefined
    this.#next = undefined
    const values = this.#options.read(deviceIds)
    this.#current = values
    const read = await values
    // A refusal is remembered for seconds, from the answer on.
    const nowMs = this.#options.clock.monotonicMs()
    for (const [deviceId, value] of read) {
      const { freshMs, usableMs } = this.#options.lifetimeOf(value)
      this.#remembered.delete(deviceId)
      this.#remembered.set(deviceId, { value, fromMs: nowMs + freshMs, untilMs: nowMs + usableMs })
    }
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= MOST_REMEMBERED) break
      this.#remembered.delete(oldest)
    }
    return values
  }
}
