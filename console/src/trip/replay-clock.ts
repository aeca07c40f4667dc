/** The instant of a replay. Components that show it subscribe, so that the page is not rerendered sixty times a second. */
export interface ReplayClock {
  readonly beginMs: number
  readonly timeMs: () => number
  readonly isPlaying: () => boolean
  /** Seconds of the trip that pass in a second. */
  readonly rate: () => number
  /** @returns what ends it */
  readonly subscribe: (listener: () => void) => () => void
  readonly seek: (timeMs: number) => void
  /** From the end it starts again. */
  readonly play: () => void
  readonly pause: () => void
  readonly setRate: (rate: number) => void
  /** A running trip gets longer; a replay at its end follows. */
  readonly setEnd: (endMs: number) => void
  /** Lets real time pass; stops at the end. */
  readonly advance: (elapsedMs: number) => void
}

export const RATES = [1, 2, 5, 10, 30, 60] as const
const FIRST_RATE = 10

export function createReplayClock(beginMs: number, firstEndMs: number, firstMs = beginMs): ReplayClock {
  const listeners = new Set<() => void>()
  let endMs = firstEndMs
  let timeMs = firstMs
  let isPlaying = false
  let rate: number = FIRST_RATE
  const notify = () => {
    for (const listener of listeners) listener()
  }
  const seek = (wantedMs: number) => {
    timeMs = Math.min(Math.max(wantedMs, beginMs), endMs)
    notify()
  }
  return {
    beginMs,
    timeMs: () => timeMs,
    isPlaying: () => isPlaying,
    rate: () => rate,
    subscribe: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    seek,
    play: () => {
      isPlaying = true
      seek(timeMs >= endMs ? beginMs : timeMs)
    },
    pause: () => {
      isPlaying = false
      notify()
    },
    setRate: chosen => {
      rate = chosen
      notify()
    },
    setEnd: changedMs => {
      const wasAtEnd = timeMs >= endMs && !isPlaying
      endMs = changedMs
      seek(wasAtEnd && timeMs > beginMs ? endMs : timeMs)
    },
    advance: elapsedMs => {
      if (!isPlaying) return
      if (timeMs + elapsedMs * rate >= endMs) isPlaying = false
      seek(timeMs + elapsedMs * rate)
    },
  }
}
