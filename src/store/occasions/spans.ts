import type { TimeRange } from '../../model/time-range.ts'

/** Times so near to each other are one span: a statement that reads one of them reads the others. */
const TOGETHER_MS = 600_000

/** Spans of time that hold instants, which mostly ascend. */
export class Spans {
  readonly all: TimeRange[] = []
  #last: { fromMs: number; toMs: number } | undefined

  add(timeMs: number): void {
    const last = this.#last
    if (last && timeMs >= last.fromMs && timeMs - last.toMs <= TOGETHER_MS) last.toMs = Math.max(last.toMs, timeMs)
    else this.all.push((this.#last = { fromMs: timeMs, toMs: timeMs }))
  }
}
