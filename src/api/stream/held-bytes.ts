/** A connection with data in memory that waits for its client. */
interface Holder {
  readonly accountId: number
  /** What waits, in pieces; connections may share a piece. */
  readonly waiting: readonly Buffer[]
}

interface HeldBytesLimits {
  /** The limit of one account. */
  readonly perAccount: number
  readonly total: number
}

interface Account<H> {
  bytes: number
  readonly holders: { readonly holder: H; readonly bytes: number }[]
}

/**
 * Counts how much waits in memory for slow clients. A piece that waits for several counts once. It counts now and then,
 * so that clients that are behind for only a moment are not noticed.
 */
export class HeldBytes {
  readonly #limits: HeldBytesLimits
  #full: ReadonlySet<number> = new Set()

  constructor(limits: HeldBytesLimits) {
    this.#limits = limits
  }

  /** Whether the account used more than half of its limit at the last count: then no history may be read for it. */
  isFull(accountId: number): boolean {
    return this.#full.has(accountId)
  }

  /**
   * Counts again.
   * @returns the connections with the most data, where there is too much: of each account beyond its limit, and while all
   * accounts together are beyond theirs, of the account with the most.
   */
  recount<H extends Holder>(holders: Iterable<H>): H[] {
    const accounts = accountsOf(holders)
    const excess: H[] = []
    for (const account of accounts.values()) excess.push(...giveUp(account, this.#limits.perAccount))
    let total = 0
    for (const { bytes } of accounts.values()) total += bytes
    while (total > this.#limits.total) {
      const [largest] = [...accounts.values()].sort((a, b) => b.bytes - a.bytes)
      if (!largest || largest.bytes <= 0) break
      const before = largest.bytes
      excess.push(...giveUp(largest, Math.max(0, before - 1)))
      total -= before - largest.bytes
    }
    const full = [...accounts].filter(([, { bytes }]) => bytes > this.#limits.perAccount / 2)
    this.#full = new Set(full.map(([accountId]) => accountId))
    return excess
  }
}

function accountsOf<H extends Holder>(holders: Iterable<H>): Map<number, Account<H>> {
  const accounts = new Map<number, Account<H>>()
  const counted = new Set<Buffer>()
  for (const holder of holders) {
    const account = accounts.get(holder.accountId) ?? { bytes: 0, holders: [] }
    accounts.set(holder.accountId, account)
    let bytes = 0
    for (const piece of holder.waiting) {
      bytes += piece.length
      if (counted.has(piece)) continue
      counted.add(piece)
      account.bytes += piece.length
    }
    account.holders.push({ holder, bytes })
  }
  for (const { holders: own } of accounts.values()) own.sort((a, b) => a.bytes - b.bytes)
  return accounts
}

/** Removes the largest connections of an account until the rest is within the limit, as far as that is known. */
function giveUp<H>(account: Account<H>, limit: number): H[] {
  const given: H[] = []
  while (account.bytes > limit) {
    const largest = account.holders.pop()
    if (!largest || largest.bytes === 0) break
    account.bytes -= largest.bytes
    given.push(largest.holder)
  }
  return given
}
