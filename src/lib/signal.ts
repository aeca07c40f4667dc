/**
 * Wakes everybody who waits until something has changed. It remembers nothing: who waits looks before each wait whether it
 * has changed already.
 */
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
