import type uPlot from 'uplot'
import { moved, type TimeView, zoomed } from './time-view.ts'

/** A step of the wheel by a usual mouse, 100 pixels, makes a view a quarter longer or shorter. */
const ZOOM_PER_PIXEL = Math.log(1.25) / 100
const PIXELS_OF_A_LINE = 16

interface Gestures {
  readonly view: () => TimeView
  readonly onView: (view: TimeView) => void
  readonly onReset: () => void
}

/**
 * Lets wheel, pointer and fingers move through time: the wheel zooms around the pointer with Ctrl, as two fingers on a
 * touchpad do, and pans sideways; by itself it scrolls the page as everywhere. Dragging with
 * Shift or the middle button pans, one finger pans, two fingers zoom, a double-click resets. Dragging a range to zoom
 * into is uPlot's own.
 *
 * @returns what ends it
 */
export function followGestures(chart: uPlot, { view, onView, onReset }: Gestures): () => void {
  const { over } = chart
  const ended = new AbortController()
  const { signal } = ended
  const timeAt = (clientX: number) => {
    const { left, width } = over.getBoundingClientRect()
    const { fromMs, toMs } = view()
    return fromMs + ((clientX - left) / width) * (toMs - fromMs)
  }
  const pan = (pixels: number) => {
    const { fromMs, toMs } = view()
    onView(moved(view(), (pixels / over.clientWidth) * (toMs - fromMs)))
  }

  const onWheel = (event: WheelEvent) => {
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
    // Browsers report a pinch on a touchpad as a wheel with Ctrl.
    if (!isSideways && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    const pixels = (delta: number) => (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? delta * PIXELS_OF_A_LINE : delta)
    const [sideways, along] = [pixels(event.deltaX), pixels(event.deltaY)]
    if (isSideways) pan(event.shiftKey ? sideways + along : sideways)
    else onView(zoomed(view(), Math.exp(along * ZOOM_PER_PIXEL), timeAt(event.clientX)))
  }

  /** Where the fingers, or the mouse that pans, are. */
  const held = new Map<number, number>()
  const onDown = (event: PointerEvent) => {
    const isPanning = event.pointerType === 'touch' || event.button === 1 || (event.button === 0 && event.shiftKey)
    if (!isPanning) return
    held.set(event.pointerId, event.clientX)
    over.setPointerCapture(event.pointerId)
    if (event.pointerType !== 'touch') event.preventDefault()
  }
  const onMove = (event: PointerEvent) => {
    const beforeX = held.get(event.pointerId)
    if (beforeX === undefined) return
    const other = [...held].find(([id]) => id !== event.pointerId)
    held.set(event.pointerId, event.clientX)
    if (!other) {
      pan(beforeX - event.clientX)
      return
    }
    const distance = Math.abs(event.clientX - other[1])
    const before = Math.abs(beforeX - other[1])
    if (distance > 0 && before > 0) onView(zoomed(view(), before / distance, timeAt((event.clientX + other[1]) / 2)))
  }
  const onUp = (event: PointerEvent) => held.delete(event.pointerId)

  over.addEventListener('wheel', onWheel, { signal, passive: false })
  over.addEventListener('pointerdown', onDown, { signal })
  over.addEventListener('pointermove', onMove, { signal })
  over.addEventListener('pointerup', onUp, { signal })
  over.addEventListener('pointercancel', onUp, { signal })
  over.addEventListener('dblclick', onReset, { signal })
  // The page still scrolls when a finger moves up or down.
  over.style.touchAction = 'pan-y'
  return () => ended.abort()
}
