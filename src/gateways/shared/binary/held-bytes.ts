interface HeldLimits {
  /** For all peers together. */
  readonly ofAll: number
  /** For one peer. */
  readonly ofPeer: number
}

/** Counts received bytes that are not answered yet, per peer and in total. */
export class HeldBytes {
  readonly #limits: HeldLimits
  readonly #byPeer = new Map<string, number>()
  #total = 0

  constructor(limits: HeldLimits) {
    this.#limits = limits
  }

  /** Which limit is exceeded after a peer sent something: the total, the peer's, or none. */
  tooMuch(peer: string): 'of all' | 'of peer' | undefined {
    if (this.#total > this.#limits.ofAll) return 'of all'
    return (this.#byPeer.get(peer) ?? 0) > this.#limits.ofPeer ? 'of peer' : undefined
  }

  add(peer: string, bytes: number): void {
    this.#total += bytes
    const held = (this.#byPeer.get(peer) ?? 0) + bytes
    if (held === 0) this.#byPeer.delete(peer)
    else this.#byPeer.set(peer, held)
  }
}
