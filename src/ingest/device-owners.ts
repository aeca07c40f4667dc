import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { readDeviceOwners } from '../fleet/devices.ts'
import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts'
import type { DeviceId } from '../model/sample.ts'

/** A dongle may move to another account. */
const REMEMBERED_MS = 60_000
/** Dongles whose account is known are looked up again together: one statement for each cost more than what they sent. */
const GATHERED_MS = 10_000
/** Each process has as many dongles as there are connections, and those of brokers. */
const MOST_REMEMBERED = 200_000

/**
 * Caches which account a dongle belongs to, for code that shares resources by account: answers at once, from memory.
 * Unknown dongles are looked up in the background, together with others.
 */
export class DeviceOwners {
  readonly #database: Database
  readonly #log: Logger
  readonly #clock: Clock
  /** In the order of lookups; undefined for a dongle that is not registered. */
  readonly #remembered = new Map<DeviceId, { readonly accountId: number | undefined; readonly untilMs: number }>()
  /** To be looked up next, and since when the first of them waits for that. */
  #wanted = new Set<DeviceId>()
  #wantedSinceMs = 0
  /** Called when the wanted ones have been looked up. */
  #onAsked: (() => void)[] = []
  #isAsking = false

  constructor(database: Database, log: Logger, clock: Clock = SYSTEM_CLOCK) {
    this.#database = database
    this.#log = log
    this.#clock = clock
  }

  /** @returns undefined while it is not known */
  of(deviceId: DeviceId): number | undefined {
    const nowMs = this.#clock.monotonicMs()
    const known = this.#remembered.get(deviceId)
    if (known && nowMs < known.untilMs) return known.accountId
    if (this.#wanted.size === 0) this.#wantedSinceMs = nowMs
    if (this.#wanted.size < MOST_REMEMBERED) this.#wanted.add(deviceId)
    // The account of a minute ago is better than none, and does for some seconds more.
    const isDue = !known || nowMs >= this.#wantedSinceMs + GATHERED_MS
    if (isDue && !this.#isAsking) void this.#ask()
    return known?.accountId
  }

  /** Whether it was looked up since this process started, even if it is not registered. */
  hasAsked(deviceId: DeviceId): boolean {
    return this.#remembered.has(deviceId)
  }

  /** Looks up a dongle, together with others. Resolves when it is cached, or the lookup failed. */
  learn(deviceId: DeviceId): Promise<void> {
    return new Promise(resolve => {
      this.#onAsked.push(resolve)
      this.of(deviceId)
    })
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    while (this.#wanted.size > 0) {
      const deviceIds = [...this.#wanted]
      this.#wanted = new Set()
      const listeners = this.#onAsked.splice(0)
      try {
        const owners = await readDeviceOwners(this.#database, deviceIds)
        const untilMs = this.#clock.monotonicMs() + REMEMBERED_MS
        for (const deviceId of deviceIds) this.#remember(deviceId, { accountId: owners.get(deviceId), untilMs })
      } catch (error) {
        this.#log.debug({ err: error }, 'it could not be asked to which accounts dongles belong')
      }
      for (const notify of listeners) notify()
    }
    this.#isAsking = false
  }

  #remember(deviceId: DeviceId, owner: { readonly accountId: number | undefined; readonly untilMs: number }): void {
    this.#remembered.delete(deviceId)
    this.#remembered.set(deviceId, owner)
    if (this.#remembered.size <= MOST_REMEMBERED) return
    const [oldest] = this.#remembered.keys()
    if (oldest !== undefined) this.#remembered.delete(oldest)
  }
}
