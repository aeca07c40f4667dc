/** What decides which of several connections of a dongle is closed. */
export interface DeviceConnection {
  /** The peer it comes from. */
  readonly peer: string
  /** When it was last active, by `Clock.monotonicMs`. */
  readonly heardMs: number
  /** A frame that came over it was stored. */
  readonly hasStored: boolean
}

interface DeviceLimits {
  /** Connections of one dongle from one peer. */
  readonly ofDeviceAndPeer: number
  /** Connections of one dongle. */
  readonly ofDevice: number
}

/**
 * Decides about another connection of a dongle. Usually the older one has lost its network and has not timed out yet; but
 * anybody who knows an IMEI can open more, which must not close the one over which the dongle reports. So both stay, up to a
 * limit; beyond it, one of the same peer is closed, and never one of another peer that has stored anything.
 * @param others the connections that the dongle has
 * @returns the one to close; undefined when there is room; or 'refused'
 */
export function roomForOneMore<T extends DeviceConnection>(
  peer: string,
  others: readonly T[],
  limits: DeviceLimits,
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
