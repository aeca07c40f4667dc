import { withoutPrefix } from '../../../lib/networks.ts'
import type { DeviceId } from '../../../model/sample.ts'
import { clientNetwork } from '../../../server/http/connections.ts'

/** Limits of one peer and of all peers. The protocol limits the length of a packet. */
export const LIMITS = {
  /** Beyond this, the oldest one that has not logged in is closed, or else the new one. */
  mostConnections: 50_000,
  /** Of one peer, without a login; beyond it, the oldest is closed. All dongles of a carrier may share an address and
   * connect at the same time after an outage, but each logs in within a second. */
  unnamedOfPeer: 1000,
  /** Connections of one dongle from one peer, and from all: see `roomForOneMore`. */
  ofDeviceAndPeer: 3,
  ofDevice: 8,
  /** From the connection to the complete IMEI. */
  loginMs: 30_000,
  /** From the IMEI to its answer, whatever that is, so that the time of the lookup reveals nothing. */
  answerLoginAfterMs: 100,
  /** Unknown devices that a peer may present before its logins get no answer; after `strangerMs` one more. */
  strangersAtOnce: 20,
  strangerMs: 10_000,
  /** From the first byte of a frame to its last. */
  frameMs: 60_000,
  /** Longer than the hour between two records of a parked car. TCP keep-alive detects a lost peer much sooner. */
  idleMs: 70 * 60_000,
  /** After this long without data, the kernel sends TCP keep-alive probes. */
  probeAfterMs: 60_000,
  /** For the peer to close its side, too. */
  farewellMs: 5_000,
  /** Frames of one connection that wait for their commit; then nothing more is read from it. */
  framesInFlight: 8,
  /** Datagrams that wait for their commit; more are dropped. */
  datagramsInFlight: 20_000,
  /** Answers that a peer has not received. */
  answerBytes: 16 * 1024,
  /** Frames of all peers, complete or not, that are not answered yet. */
  unansweredBytes: 64 * 1024 * 1024,
  /** The same for one peer: enough for a frame of each of 10,000 dongles behind one address. */
  unansweredBytesOfPeer: 16 * 1024 * 1024,
  /** A sender that waits for answers is silent at least this long after a frame that gets none. */
  unansweredMs: 100,
  /** How often connections are checked. */
  sweepMs: 1000,
} as const

/** The limits above; tests use shorter times. */
export type Limits = { readonly [Name in keyof typeof LIMITS]: number }

/** Counts received bytes that are not answered yet, per peer and in total. */
export class UnansweredBytes {
  readonly #limits: Pick<Limits, 'unansweredBytes' | 'unansweredBytesOfPeer'>
  readonly #byPeer = new Map<string, number>()
  #total = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Which limit is exceeded after a peer sent something: the total, the peer's, or none. */
  tooMuch(peer: string): 'of all' | 'of peer' | undefined {
    if (this.#total > this.#limits.unansweredBytes) return 'of all'
    return (this.#byPeer.get(peer) ?? 0) > this.#limits.unansweredBytesOfPeer ? 'of peer' : undefined
  }

  add(peer: string, bytes: number): void {
    this.#total += bytes
    const ofPeer = (this.#byPeer.get(peer) ?? 0) + bytes
    if (ofPeer === 0) this.#byPeer.delete(peer)
    else this.#byPeer.set(peer, ofPeer)
  }
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

/** Prevents finding known IMEIs by trying many: after too many unknown devices, a peer gets no answer to any login.
 * Dongles that logged in from there before are still accepted, because a carrier may share one address. */
export class RefusedLogins {
  readonly #limits: Pick<Limits, 'strangersAtOnce' | 'strangerMs'>
  /** Peers that presented unknown devices, the most recent one last. */
  readonly #presented = new Map<string, Presented>()
  /** The peer from which each dongle logged in last. */
  readonly #places = new Map<DeviceId, string>()

  constructor(limits: Pick<Limits, 'strangersAtOnce' | 'strangerMs'>) {
    this.#limits = limits
  }

  /** @param isAdmitted whether that dongle may report @returns whether the peer gets an answer */
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

/** The properties of a connection that decide which of several of a dongle is closed. */
export interface DeviceConnection {
  readonly peer: string
  /** When it was last active, by `Clock.monotonicMs`. */
  readonly heardMs: number
  /** A frame that came over it was stored. */
  readonly hasStored: boolean
}

/** Decides about another connection of a dongle. Anybody who knows an IMEI can open more, so none of another peer that
 * has stored anything is closed. @returns the one to close; undefined when there is room; or 'refused' */
export function roomForOneMore<T extends DeviceConnection>(
  peer: string,
  others: readonly T[],
  limits: Pick<Limits, 'ofDeviceAndPeer' | 'ofDevice'>,
): T | undefined | 'refused' {
  const ofPeer = others.filter(other => other.peer === peer)
  if (ofPeer.length >= limits.ofDeviceAndPeer) return leastAlive(ofPeer)
  if (others.length < limits.ofDevice) return undefined
  return leastAlive([...ofPeer, ...others.filter(other => !other.hasStored)]) ?? 'refused'
}

/** First those that have stored nothing, then by the longest silence. */
function leastAlive<T extends DeviceConnection>(connections: readonly T[]): T | undefined {
  return connections.toSorted((a, b) => Number(a.hasStored) - Number(b.hasStored) || a.heardMs - b.heardMs)[0]
}

/** The address of a peer as operators write it. */
export function senderOf(remoteAddress: string | undefined): string {
  return remoteAddress === undefined ? 'unknown' : withoutPrefix(remoteAddress)
}

/** The unit of limits: an address, or the network of an IPv6 address, because every customer has very many of these. */
export function peerOf(remoteAddress: string | undefined): string {
  return clientNetwork(senderOf(remoteAddress))
}
