import type { Limits } from './limits.ts'
import type { ClosingReason } from './metrics.ts'

/** Deadlines of a peer. Times are those of `Clock.monotonicMs`. */
export class TcpDeadlines {
  readonly #limits: Pick<Limits, 'loginMs' | 'frameMs' | 'idleMs' | 'farewellMs'>
  readonly #openedMs: number
  #isLoggedIn = false
  #heardMs = 0
  #begunMs: number | undefined
  #endedMs: number | undefined

  constructor(limits: Pick<Limits, 'loginMs' | 'frameMs' | 'idleMs' | 'farewellMs'>, nowMs: number) {
    this.#limits = limits
    this.#openedMs = nowMs
  }

  /** @param received how many packets became complete, and whether an incomplete one remains */
  heard({ packets, isInPacket }: { readonly packets: number; readonly isInPacket: boolean }, nowMs: number): void {
    this.#heardMs = nowMs
    if (!isInPacket) this.#begunMs = undefined
    else if (packets > 0 || this.#begunMs === undefined) this.#begunMs = nowMs
  }

  loggedIn(nowMs: number): void {
    this.#isLoggedIn = true
    this.#heardMs = nowMs
  }

  /** This side has sent everything. */
  ended(nowMs: number): void {
    this.#endedMs = nowMs
  }

  /** @param isBusy the peer waits for us, so its silence is expected */
  overdue(isBusy: boolean, nowMs: number): ClosingReason | undefined {
    const { loginMs, frameMs, idleMs, farewellMs } = this.#limits
    if (this.#endedMs !== undefined) return nowMs > this.#endedMs + farewellMs ? 'farewell too slow' : undefined
    if (isBusy) return undefined
    if (!this.#isLoggedIn) return nowMs > this.#openedMs + loginMs ? 'login too slow' : undefined
    if (this.#begunMs !== undefined) return nowMs > this.#begunMs + frameMs ? 'frame too slow' : undefined
    return nowMs > this.#heardMs + idleMs ? 'idle' : undefined
  }
}
