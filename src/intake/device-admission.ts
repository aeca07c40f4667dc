import { unavailable } from '../errors.ts'
import type { Database } from '../store/database.ts'
import { readHardwareTypes } from '../store/fleet/hardware-types.ts'
import type { BatchOptions } from './batch.ts'
import type { DeviceId } from './sample.ts'

/** Whether a device without a key may report. */
export type Admission =
  | {
      readonly kind: 'admitted'
      /** The model; empty while nobody knows it. */
      readonly hardwareType: string
    }
  /** It is unknown, and unknown ones may not join. */
  | { readonly kind: 'refused' }

const REFUSED: Admission = { kind: 'refused' }

/** What is remembered of a device is at most so old: its model may become known, … */
const ADMITTED_MS = 5 * 60_000
/** … and an operator who has just added it does not want to wait. */
const REFUSED_MS = 10_000
const MOST_REMEMBERED = 100_000
/** Beyond this, devices are told to come back later instead of filling the memory. */
const MOST_ASKED = 20_000

export interface DeviceAdmissionOptions {
  readonly database: Database
  /** Whether unknown devices may join, and whom. */
  readonly joining: () => Promise<Pick<BatchOptions, 'unknownDevices' | 'firstAccountId'>>
}

/** Tells gateways of dongles who may report, so that a stranger is turned away before it sends anything. */
export class DeviceAdmission {
  readonly #options: DeviceAdmissionOptions
  /** In the order in which they were learned. */
  readonly #remembered = new Map<DeviceId, { readonly admission: Admission; readonly untilMs: number }>()
  /** Who is asked for in the next query, which waits for the one before: a fleet that comes back at once asks in few. */
  #wanted = new Set<DeviceId>()
  #next: Promise<ReadonlyMap<DeviceId, Admission>> | undefined
  #current: Promise<unknown> = Promise.resolve()

  constructor(options: DeviceAdmissionOptions) {
    this.#options = options
  }

  /** What is remembered of a device; undefined when it must be asked for. */
  remembered(deviceId: DeviceId): Admission | undefined {
    const known = this.#remembered.get(deviceId)
    return known && performance.now() < known.untilMs ? known.admission : undefined
  }

  /** @throws ClientError 503 when it can not be told at the moment. */
  async admit(deviceId: DeviceId): Promise<Admission> {
    const remembered = this.remembered(deviceId)
    if (remembered) return remembered
    if (this.#wanted.size >= MOST_ASKED) throw unavailable('More devices arrive than can be looked up.', 1)
    this.#wanted.add(deviceId)
    this.#next ??= this.#askNext()
    return (await this.#next).get(deviceId) ?? REFUSED
  }

  async #askNext(): Promise<ReadonlyMap<DeviceId, Admission>> {
    await this.#current.catch(() => undefined)
    const deviceIds = [...this.#wanted]
    this.#wanted = new Set()
    this.#next = undefined
    const asked = this.#ask(deviceIds)
    this.#current = asked
    return asked
  }

  async #ask(deviceIds: readonly DeviceId[]): Promise<ReadonlyMap<DeviceId, Admission>> {
    const { database, joining } = this.#options
    const hardwareTypes = await readHardwareTypes(database, deviceIds)
    const { unknownDevices, firstAccountId } = await joining()
    const mayJoin = unknownDevices === 'accept' && firstAccountId !== undefined
    const nowMs = performance.now()
    const admissions = new Map<DeviceId, Admission>()
    for (const deviceId of deviceIds) {
      const hardwareType = hardwareTypes.get(deviceId) ?? (mayJoin ? '' : undefined)
      const admission: Admission = hardwareType === undefined ? REFUSED : { kind: 'admitted', hardwareType }
      admissions.set(deviceId, admission)
      this.#remember(deviceId, admission, nowMs + (admission.kind === 'refused' ? REFUSED_MS : ADMITTED_MS))
    }
    return admissions
  }

  #remember(deviceId: DeviceId, admission: Admission, untilMs: number): void {
    this.#remembered.delete(deviceId)
    this.#remembered.set(deviceId, { admission, untilMs })
    if (this.#remembered.size <= MOST_REMEMBERED) return
    const [oldest] = this.#remembered.keys()
    if (oldest !== undefined) this.#remembered.delete(oldest)
  }
}
