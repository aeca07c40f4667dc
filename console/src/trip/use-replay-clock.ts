import { useEffect, useState, useSyncExternalStore } from 'react'
import { createReplayClock, type ReplayClock } from './replay-clock.ts'

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

/** The instant of the clock for texts and controls, in steps that are worth drawing. */
export function useReplayTime(clock: ReplayClock): number {
  return useSyncExternalStore(clock.subscribe, () => {
    const stepMs = clock.isPlaying() ? TEXT_EVERY_MS * clock.rate() : 1
    return clock.beginMs + Math.floor((clock.timeMs() - clock.beginMs) / stepMs) * stepMs
  })
}

export function useReplayState(clock: ReplayClock): { readonly isPlaying: boolean; readonly rate: number } {
  const isPlaying = useSyncExternalStore(clock.subscribe, clock.isPlaying)
  const rate = useSyncExternalStore(clock.subscribe, clock.rate)
  return { isPlaying, rate }
}
