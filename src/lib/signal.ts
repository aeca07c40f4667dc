/** Wakes all who wait for a change. It remembers nothing: look before each wait if something has changed already. */
export class Signal {
  #waiting: (() => void)[] = []

  /** Resolves at the next `emit`, or after `longestMs`. */
  async wait(longestMs?: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>(resolve => {
      this.#waiting.push(resolve)
      if (longestMs === undefined) return
      timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter(waiting => waiting !== resolve)
        resolve()
      }, longestMs)
    })
    clearTimeout(timer)
  }

  emit(): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
