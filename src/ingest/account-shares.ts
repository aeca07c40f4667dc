/** Something that waits for its turn, in pieces if it is large. */
interface Queued {
  /** The account whose share it uses. */
  readonly account: number
  /** How much of it is left. */
  readonly left: number
}

/** A part of an item that is taken at once. */
export interface Portion<Item> {
  readonly item: Item
  readonly amount: number
}

/** Items up to this size are taken as a whole. */
export const WHOLE = 1000

interface Line<Item> {
  /** Items before `next` have been taken. */
  items: Item[]
  next: number
  /** Items that are taken in parts, one after the other. */
  readonly large: Item[]
  /** A part of the first large item was taken: until its outcome is known, no more of these is taken. */
  isInPart: boolean
}

const hasReady = <Item>(line: Line<Item>) => line.next < line.items.length || (line.large.length > 0 && !line.isInPart)

/** A queue by account. Accounts get equal shares of what is taken at once; unused shares go to the others. Within an
 * account, whole items go before the next part of a large one: no dongle waits for what another one has kept. */
export class ShareQueue<Item extends Queued> {
  readonly #lines = new Map<number, Line<Item>>()

  /** After a part of an item was taken, no more of large ones can be taken of its account until `ended` or `partDone`. */
  get hasReady(): boolean {
    return [...this.#lines.values()].some(hasReady)
  }

  add(item: Item): void {
    const line = this.#lines.get(item.account) ?? { items: [], next: 0, large: [], isInPart: false }
    this.#lines.set(item.account, line)
    if (item.left > WHOLE) line.large.push(item)
    else line.items.push(item)
  }

  /** Takes about this much. An item that is taken in part stays the first of its account until `ended` or `partDone`. */
  take(most: number): Portion<Item>[] {
    const portions: Portion<Item>[] = []
    for (let room = most; room > 0; ) {
      const ready = [...this.#lines].filter(([, line]) => hasReady(line))
      if (ready.length === 0) break
      const share = Math.max(1, Math.floor(room / ready.length))
      for (const [account, line] of ready) {
        room -= takeOf(line, share, portions)
        this.#lines.delete(account)
        // An account that had a turn comes last the next time.
        if (line.isInPart || hasReady(line)) this.#lines.set(account, line)
        // An item that is taken as a whole may exceed a share. If shares are large enough for that, all still get their turn.
        if (room <= 0 && share < WHOLE) break
      }
    }
    return portions
  }

  /** A part of an item is done, and more of it may be taken. */
  partDone({ account }: Item): void {
    const line = this.#lines.get(account)
    if (line) line.isInPart = false
  }

  /** No more is to be taken of an item that was taken in part. */
  ended(item: Item): void {
    const line = this.#lines.get(item.account)
    if (!line?.isInPart || line.large[0] !== item) return
    line.isInPart = false
    line.large.shift()
    if (!hasReady(line)) this.#lines.delete(item.account)
  }
}

/** @returns how much was taken, at least one item or part of one */
function takeOf<Item extends Queued>(line: Line<Item>, share: number, portions: Portion<Item>[]): number {
  let taken = 0
  for (let item = line.items[line.next]; item && taken < share; item = line.items[line.next]) {
    portions.push({ item, amount: item.left })
    taken += item.left
    passOn(line)
  }
  const [item] = line.large
  if (!item || line.isInPart) return taken
  const amount = Math.min(item.left, Math.max(share - taken, WHOLE))
  portions.push({ item, amount })
  line.isInPart = amount < item.left
  if (!line.isInPart) line.large.shift()
  return taken + amount
}

/** Moving all remaining items for each one removed would take noticeable time in a burst. */
function passOn<Item>(line: Line<Item>): void {
  line.next++
  if (line.next < 1000 || line.next * 2 < line.items.length) return
  line.items = line.items.slice(line.next)
  line.next = 0
}

interface Pending {
  readonly account: number
  /** Number of samples. */
  readonly length: number
}

/** Samples received and not answered yet, by account. While there is room, an account may use any of it; then each
 * still gets up to an equal share. */
export class PendingSamples {
  readonly #most: number
  readonly #byAccount = new Map<number, number>()
  #total = 0

  constructor(most: number) {
    this.#most = most
  }

  get total(): number {
    return this.#total
  }

  /** Samples by account, for metrics. */
  get ofAccounts(): ReadonlyMap<number, number> {
    return this.#byAccount
  }

  hasRoom({ account, length }: Pending): boolean {
    const own = this.#byAccount.get(account) ?? 0
    // An account without pending samples may always send: a single submission is bounded.
    if (own === 0 || this.#total + length <= this.#most) return true
    return own + length <= this.#most / this.#byAccount.size
  }

  add({ account, length }: Pending): void {
    this.#byAccount.set(account, (this.#byAccount.get(account) ?? 0) + length)
    this.#total += length
  }

  answered({ account, length }: Pending): void {
    const left = (this.#byAccount.get(account) ?? 0) - length
    if (left > 0) this.#byAccount.set(account, left)
    else this.#byAccount.delete(account)
    this.#total -= length
  }
}
