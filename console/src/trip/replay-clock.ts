import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'

/** While it plays, texts and controls change at most this often, because people cannot read faster. */
const TEXT_EVERY_MS = 100

/** Browsers draw nothing while the page is not seen; the replay then waits, instead of being at its end afterwards. */
const LONGEST_FRAME_MS = 250

interface ReplayOf {
  readonly beginMs: number
  readonly endMs: number
  readonly isRunning: boolean
  /** Where it begins, if that was asked for. */
  readonly wantedMs: number | undefined
}

/** A clock for a trip that runs while the page is there. A running trip is shown from its end. */
export function useReplayClock({ beginMs, endMs, isRunning, wantedMs }: ReplayOf): ReplayClock {
  const [clock] = useState(() => createReplayClock(beginMs, endMs, isRunning ? endMs : beginMs))
  useEffect(() => {
    if (wantedMs !== undefined) clock.seek(wantedMs)
  }, [clock, wantedMs])
  useEffect(() => clock.setEnd(endMs), [clock, endMs])
  useEffect(() => {
    let frame: number | undefined
    let beforeMs = 0
    const tick = (nowMs: number) => {
      clock.advance(Math.min(nowMs - beforeMs, LONGEST_FRAME_MS))
      beforeMs = nowMs
      frame = clock.isPlaying() ? requestAnimationFrame(tick) : undefined
    }
    const stop = clock.subscribe(() => {
      if (frame !== undefined || !clock.isPlaying()) return
      beforeMs = performance.now()
      frame = requestAnimationFrame(tick)
    })
    return () => {
      stop()
      if (frame !== undefined) cancelAnimationFrame(frame)
    }
  }, [clock])
  return clock
}

/** A replay rests where nothing moved it for so long. */
const RESTS_AFTER_MS = 500

/** Tells where a replay rests: where it was paused, or where somebody went. */
export function useResting(clock: ReplayClock, onRest: (timeMs: number) => void): void {
  const rest = useEffectEvent(onRest)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = clock.subscribe(() => {
      clearTimeout(timer)
      timer = clock.isPlaying() ? undefined : setTimeout(() => rest(clock.timeMs()), RESTS_AFTER_MS)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [clock])
}

/** The instant of the clock for texts and controls, in steps that are worth drawing. */
export function useReplayTime(clock: ReplayClock): number {
  return useSyncExternalStore(clock.subscribe, () => {
    const stepMs = clock.isPlaying() ? TEXT_EVERY_MS * clock.rate() : 1
    return clock.beginMs + Math.floor((clock.timeMs() - clock.beginMs) / stepMs) * stepMs
  })
}

const STEP_MS = 10_000
const LONG_STEP_MS = 60_000

/** Elements that use these keys themselves keep them. */
const OWN_KEYS =
  'input, textarea, select, button, a, summary, [role=slider], [role=tab], [role=radio], [role=menuitem], .maplibregl-map'

/** Space plays and pauses, the arrows go back and forth, wherever the focus is on the page. */
export function useReplayKeys(clock: ReplayClock): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isElsewhere = event.target instanceof Element && event.target.closest(OWN_KEYS) !== null
      if (isElsewhere || event.ctrlKey || event.altKey || event.metaKey) return
      const stepMs = event.shiftKey ? LONG_STEP_MS : STEP_MS
      if (event.key === ' ') {
        if (clock.isPlaying()) clock.pause()
        else clock.play()
      } else if (event.key === 'ArrowLeft') clock.seek(clock.timeMs() - stepMs)
      else if (event.key === 'ArrowRight') clock.seek(clock.timeMs() + stepMs)
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [clock])
}

export const RATES = [1, 2, 5, 10, 30, 60] as const
const FIRST_RATE = 10

/** The instant of a replay. Components that show it subscribe, so that the page is not rerendered sixty times a second. */
export type ReplayClock = ReturnType<typeof createReplayClock>

export function createReplayClock(beginMs: number, firstEndMs: number, firstMs = beginMs) {
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
    /** Seconds of the trip that pass in a second. */
    rate: () => rate,
    /** @returns what ends it */
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    seek,
    /** From the end it starts again. */
    play: () => {
      isPlaying = true
      seek(timeMs >= endMs ? beginMs : timeMs)
    },
    pause: () => {
      isPlaying = false
      notify()
    },
    setRate: (chosen: number) => {
      rate = chosen
      notify()
    },
    /** A running trip gets longer; a replay at its end follows. */
    setEnd: (changedMs: number) => {
      const wasAtEnd = timeMs >= endMs && !isPlaying
      endMs = changedMs
      seek(wasAtEnd && timeMs > beginMs ? endMs : timeMs)
    },
    /** Lets real time pass; stops at the end. */
    advance: (elapsedMs: number) => {
      if (!isPlaying) return
      if (timeMs + elapsedMs * rate >= endMs) isPlaying = false
      seek(timeMs + elapsedMs * rate)
    },
  }
}
