export interface HeldLimits {
  /** Of all peers together. */
  readonly ofAll: number
  /** Of one peer. */
  readonly ofPeer: number
}

/** How much of what was received is not answered yet, by peer and over all. */
export class HeldBytes {
  readonly #limits: HeldLimits
  readonly #byPeer = new Map<string, number>()
  #total = 0

  constructor(limits: HeldLimits) {
    this.#limits = limits
  }

  /** Who must give something up after that peer sent something: everybody, that peer, or nobody. */
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
