/** A connection of a dongle, as far as it matters which of several is given up. */
export interface DeviceConnection {
  /** Where it comes from. */
  readonly peer: string
  /** When it was heard last, by `performance.now()`. */
  readonly heardMs: number
  /** A frame that came over it was stored. */
  readonly hasStored: boolean
}

export interface DeviceLimits {
  /** Connections of one dongle from one peer. */
  readonly ofDeviceAndPeer: number
  /** Connections of one dongle. */
  readonly ofDevice: number
}

/**
 * Says what becomes of one more connection of a dongle. As a rule there is one older, which lost its network and is
 * still waited for; but whoever knows an IMEI may open more, and that must not end the one over which the dongle reports.
 * So both stay, up to a limit; beyond it, one of the same peer is given up, and never one of another peer that has stored
 * anything.
 * @param others the connections that the dongle has
 * @returns which of them is given up, undefined when there is room; or 'refused'
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

/** First who has stored nothing, then who was silent for longest. */
function leastAlive<T extends DeviceConnection>(connections: readonly T[]): T | undefined {
  return connections.toSorted((a, b) => Number(a.hasStored) - Number(b.hasStored) || a.heardMs - b.heardMs)[0]
}
