import { useEffect } from 'react'
import type { ReplayClock } from './replay-clock.ts'

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
