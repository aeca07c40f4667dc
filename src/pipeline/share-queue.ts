/** Something that waits for its turn, in pieces if it is large. */
export interface Queued {
  /** Whose share it uses. */
  readonly account: number
  /** How much of it is left. */
  readonly left: number
}

/** What is taken of something at once. */
export interface Portion<Item> {
  readonly item: Item
  readonly amount: number
}

/** Up to this, something is taken whole. */
export const WHOLE = 1000

interface Line<Item> {
  /** Those before `next` were taken. */
  items: Item[]
  next: number
  /** A part of the first was taken: until it is known what became of that, nothing that came after it is. */
  isInPart: boolean
}

/**
 * What waits, by account. Everybody gets an equal share of what is taken at once, and what one does not use goes to the
 * others; within an account, first come is first served.
 */
export class ShareQueue<Item extends Queued> {
  readonly #lines = new Map<number, Line<Item>>()

  /** Whether something can be taken; of what was taken in part, no more can until `ended` or `partDone`. */
  get hasReady(): boolean {
    for (const { isInPart } of this.#lines.values()) if (!isInPart) return true
    return false
  }

  /** Of how many accounts something waits. */
  get accounts(): number {
    return this.#lines.size
  }

  add(item: Item): void {
    const line = this.#lines.get(item.account)
    if (line) line.items.push(item)
    else this.#lines.set(item.account, { items: [item], next: 0, isInPart: false })
  }

  /** Takes about so much. What is taken in part stays the first of its account until `ended` or `partDone`. */
  take(most: number): Portion<Item>[] {
    const portions: Portion<Item>[] = []
    for (let room = most; room > 0; ) {
      const ready = [...this.#lines].filter(([, line]) => !line.isInPart)
      if (ready.length === 0) break
      const share = Math.max(1, Math.floor(room / ready.length))
      for (const [account, line] of ready) {
        room -= takeOf(line, share, portions)
        this.#lines.delete(account)
        // Whoever had a turn comes last the next time.
        if (line.isInPart || line.next < line.items.length) this.#lines.set(account, line)
        // What is taken whole may be more than a share. Where shares are large enough for that, all have their turn nevertheless.
        if (room <= 0 && share < WHOLE) break
      }
    }
    return portions
  }

  /** What was taken of an item in part is done with, and more of it may be taken. */
  partDone({ account }: Item): void {
    const line = this.#lines.get(account)
    if (line) line.isInPart = false
  }

  /** Nothing more is to be taken of an item of which a part was. */
  ended(item: Item): void {
    const line = this.#lines.get(item.account)
    if (!line?.isInPart || line.items[line.next] !== item) return
    line.isInPart = false
    passOn(line)
    if (line.next === line.items.length) this.#lines.delete(item.account)
  }
}

/** @returns how much was taken, at least one item or part of one */
function takeOf<Item extends Queued>(line: Line<Item>, share: number, portions: Portion<Item>[]): number {
  let taken = 0
  while (taken < share) {
    const item = line.items[line.next]
    if (!item) break
    const amount = Math.min(item.left, Math.max(share - taken, WHOLE))
    portions.push({ item, amount })
    taken += amount
    if (amount < item.left) {
      line.isInPart = true
      break
    }
    passOn(line)
  }
  return taken
}

/** Moving all that is left for each that goes would be felt in a burst. */
function passOn<Item>(line: Line<Item>): void {
  line.next++
  if (line.next < 1000 || line.next * 2 < line.items.length) return
  line.items = line.items.slice(line.next)
  line.next = 0
}
