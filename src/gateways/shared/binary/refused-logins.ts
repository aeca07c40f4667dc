import type { DeviceId } from '../../../model/sample.ts'

interface RefusedLoginLimits {
  /** How many unknown devices a peer may present before its logins get no answer. */
  readonly strangersAtOnce: number
  /** After this time it may present one more. */
  readonly strangerMs: number
}

interface Presented {
  /** How many more unknown devices are allowed. */
  left: number
  sinceMs: number
  /** Devices that were refused already: repeated logins of the same dongle do not count again. */
  readonly strangers: Set<DeviceId>
}

const MOST_PEERS = 20_000
const MOST_DEVICES = 100_000

/**
 * Decides which logins are answered at all, so that known IMEIs can not be found by trying many. A peer that has
 * presented too many unknown devices gets no answer, whether the next one is known or not. Only a dongle that has logged in
 * from there before is still accepted, because the dongles of a whole carrier may share one address.
 */
export class RefusedLogins {
  readonly #limits: RefusedLoginLimits
  /** Peers that presented unknown devices, the most recent one last. */
  readonly #presented = new Map<string, Presented>()
  /** The peer from which each dongle logged in last. */
  readonly #places = new Map<DeviceId, string>()

  constructor(limits: RefusedLoginLimits) {
    this.#limits = limits
  }

  /**
   * @param isAdmitted whether that dongle may report
   * @returns whether the peer gets an answer
   */
  isAnswered(peer: string, deviceId: DeviceId, isAdmitted: boolean, nowMs: number): boolean {
    const presented = this.#presented.get(peer)
    if (presented) this.#refill(presented, nowMs)
    if (isAdmitted) {
      const isAtHome = this.#places.get(deviceId) === peer
      if (!isAtHome && presented && presented.left < 1) return false
      setLast(this.#places, deviceId, peer, MOST_DEVICES)
      return true
    }
    return this.#refuse(peer, deviceId, presented ?? this.#fresh(nowMs))
  }

  #refuse(peer: string, deviceId: DeviceId, presented: Presented): boolean {
    setLast(this.#presented, peer, presented, MOST_PEERS)
    if (presented.strangers.has(deviceId)) return true
    if (presented.left < 1) return false
    presented.left -= 1
    presented.strangers.add(deviceId)
    return true
  }

  #fresh(nowMs: number): Presented {
    return { left: this.#limits.strangersAtOnce, sinceMs: nowMs, strangers: new Set() }
  }

  #refill(presented: Presented, nowMs: number): void {
    const { strangersAtOnce, strangerMs } = this.#limits
    presented.left = Math.min(strangersAtOnce, presented.left + (nowMs - presented.sinceMs) / strangerMs)
    presented.sinceMs = nowMs
    // Bounded: a forgotten device counts again.
    if (presented.strangers.size > strangersAtOnce * 10) presented.strangers.clear()
  }
}

/** Sets it as the newest one; beyond the limit, the oldest is forgotten. */
function setLast<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
