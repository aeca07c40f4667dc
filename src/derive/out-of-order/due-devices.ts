import { type Clock, SYSTEM_CLOCK } from '../../lib/clock.ts'
import type { DeviceId } from '../../model/sample.ts'
import type { DueDevice } from '../device-records/fold-states.ts'

/** The queue is read again after this time: others may be due by then. */
const LOOK_AGAIN_MS = 500
/** Devices of one account at once, so that long histories of its dongles do not delay those of others. */
const AT_ONCE_OF_ACCOUNT = 2

/** The queue of due devices for several workers: each device is given to one of them. */
export class DueDevices {
  readonly #read: (except: readonly DeviceId[]) => Promise<readonly DueDevice[]>
  readonly #clock: Clock
  #left: DueDevice[] = []
  #readMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined
  readonly #atWork = new Map<DeviceId, DueDevice>()

  /** @param read returns them in the order in which they are to be processed */
  constructor(read: (except: readonly DeviceId[]) => Promise<readonly DueDevice[]>, clock: Clock = SYSTEM_CLOCK) {
    this.#read = read
    this.#clock = clock
  }

  /** @returns undefined when there is none, or only of accounts that have enough at work */
  async take(): Promise<DueDevice | undefined> {
    const next = this.#isFresh ? this.#next() : undefined
    if (next) return next
    await this.#readAgain()
    return this.#next()
  }

  done({ deviceId }: DueDevice): void {
    this.#atWork.delete(deviceId)
  }

  get #isFresh(): boolean {
    return this.#clock.monotonicMs() < this.#readMs + LOOK_AGAIN_MS
  }

  #next(): DueDevice | undefined {
    const index = this.#left.findIndex(({ accountId }) => this.#countOf(accountId) < AT_ONCE_OF_ACCOUNT)
    const [device] = index < 0 ? [] : this.#left.splice(index, 1)
    if (device) this.#atWork.set(device.deviceId, device)
    return device
  }

  #countOf(accountId: number | undefined): number {
    let count = 0
    for (const device of this.#atWork.values()) if (device.accountId === accountId) count++
    return count
  }

  async #readAgain(): Promise<void> {
    this.#reading ??= this.#readNow().finally(() => (this.#reading = undefined))
    await this.#reading
  }

  async #readNow(): Promise<void> {
    const due = await this.#read([...this.#atWork.keys()])
    this.#left = due.filter(({ deviceId }) => !this.#atWork.has(deviceId))
    this.#readMs = this.#clock.monotonicMs()
  }
}
