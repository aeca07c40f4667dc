import { useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import { wallClock } from '../calendar/days.ts'
import { dateFormat, shownUnit, timeZoneHere } from '../language/language.ts'
import {
  type ChartSeries,
  chartColumns,
  lonelyIndexes,
  moved,
  type TimeView,
  valueRange,
  within,
  zoomed,
} from './chart-data.ts'
import { AXIS_PX, Plot } from './plot.tsx'

interface LineChartProps {
  /** Of one unit, or switches. */
  readonly series: readonly ChartSeries[]
  readonly fromMs: number
  readonly toMs: number
  readonly heightPx: number
  /** What the chart shows, for screen readers. */
  readonly label: string
  /** Whether times are shown below; of several charts, one is enough. */
  readonly hasTimes?: boolean
  /** Intervals that are marked behind the lines. */
  readonly bands?: readonly TimeBand[]
  /** Marked in the chart as it moves, such as that of a replay, without rerendering the page. */
  readonly instant?: { readonly timeMs: () => number; readonly subscribe: (listener: () => void) => () => void }
  /** Called with the instant that was clicked. */
  readonly onPick?: (timeMs: number) => void
  /** Called with every step of zooming and panning, which the chart follows at once; the range comes later, by props. */
  readonly onView?: (view: TimeView) => void
  /** Called to reset to the first range. */
  readonly onReset?: () => void
  /** Called with the instant under the pointer as it moves, and with nothing when it leaves. */
  readonly onPoint?: (timeMs: number | undefined) => void
}

const NO_BANDS: readonly TimeBand[] = []

/** A range from props during zooming or panning is that of a moment ago. */
const STILL_MOVING_MS = 200

/** Lines over time. */
export function LineChart({
  series,
  fromMs,
  toMs,
  bands = NO_BANDS,
  hasTimes = true,
  instant,
  ...props
}: LineChartProps) {
  const { heightPx, label, onPick, onView, onReset, onPoint } = props
  const chart = useRef<uPlot>(undefined)
  const needle = useRef<HTMLDivElement>(null)
  const view = useRef<TimeView>({ fromMs, toMs })
  const marked = useRef(bands)
  const movedMs = useRef(Number.NEGATIVE_INFINITY)
  /** Where the fingers, or the mouse that pans, are. */
  const held = useRef(new Map<number, number>())
  const { unit } = shownUnit(series[0]?.unit ?? '')
  const isSwitch = series[0]?.isSwitch ?? false
  const colors = series.map(({ colorIndex }, index) => colorIndex ?? index)
  const data = useMemo(() => chartColumns(series), [series])
  const isZoomable = onView !== undefined

  const move = (wanted: TimeView) => {
    view.current = within(wanted, Date.now())
    movedMs.current = performance.now()
    showView(chart.current, view.current)
    onView?.(view.current)
  }
  const moveNeedle = () => {
    if (!chart.current || !needle.current || !instant) return
    const left = chart.current.over.offsetLeft + chart.current.valToPos(instant.timeMs() / 1000, 'x')
    needle.current.style.transform = `translateX(${left}px)`
  }
  const onEvent = (event: Event, { over }: uPlot) => {
    if (onPick && event.type === 'click' && event instanceof MouseEvent)
      onPick(timeUnder(event.clientX, over, view.current))
    if (!isZoomable) return
    if (event.type === 'dblclick') onReset?.()
    const wanted = viewAfter(event, over, view.current, held.current)
    if (wanted) move(wanted)
  }
  const onSelect = (drawn: uPlot) => {
    const { left, width } = drawn.select
    if (width === 0) return
    drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
    move({ fromMs: timeAt(drawn, left), toMs: timeAt(drawn, left + width) })
  }

  useEffect(() => {
    marked.current = bands
    chart.current?.redraw(false)
  }, [bands])
  useEffect(() => {
    if (performance.now() - movedMs.current < STILL_MOVING_MS) return
    view.current = { fromMs, toMs }
    showView(chart.current, view.current)
  }, [fromMs, toMs])
  useEffect(() => instant?.subscribe(moveNeedle))

  return (
    <Plot
      chartRef={chart}
      data={data}
      looks={JSON.stringify([unit, isSwitch, colors, isZoomable, hasTimes])}
      heightPx={heightPx}
      label={label}
      // The page still scrolls when a finger moves up or down.
      style={{ ...(onPick && { cursor: 'pointer' }), ...(isZoomable && { touchAction: 'pan-y' }) }}
      onEvent={onEvent}
      hooks={{
        // The same instant is at another position after the chart was redrawn.
        draw: moveNeedle,
        drawClear: drawn => drawBands(drawn, marked.current),
        setCursor: drawn => {
          const { left = -1 } = drawn.cursor
          onPoint?.(left < 0 ? undefined : timeAt(drawn, left))
        },
        setSelect: onSelect,
      }}
      options={({ axis, valueAxis, colorOf }) => ({
        tzDate: seconds => uPlot.tzDate(new Date(seconds * 1000), timeZoneHere()),
        padding: [8, 24, 0, isSwitch ? AXIS_PX : 0],
        cursor: {
          drag: { x: isZoomable, y: false, setScale: false },
          points: { size: 7 },
          bind: {
            // Dragging with Shift is for panning, and the double-click is handled by the owner of the range.
            mousedown: (_chart, _target, handler) => event => (event.shiftKey ? null : handler(event)),
            dblclick: () => null,
          },
        },
        scales: {
          x: { time: true, range: () => [view.current.fromMs / 1000, view.current.toMs / 1000] },
          // Switches are 0 and 1, with some room.
          y: { range: isSwitch ? [-0.05, 1.05] : (_chart, min, max) => valueRange(min, max, unit) },
        },
        axes: [
          {
            ...axis,
            size: hasTimes ? 24 : 6,
            gap: 2,
            space: 70,
            values: (_chart, seconds) =>
              seconds.map((second, index) => (hasTimes ? timeTick(second, seconds[index - 1]) : '')),
          },
          { ...valueAxis(unit), show: !isSwitch },
        ],
        series: [
          {},
          ...colors.map(colorOf).map((color): uPlot.Series => {
            const filter = (drawn: uPlot, index: number) => lonelyIndexes(drawn.data[index] ?? [])
            return {
              stroke: color,
              width: 1.5,
              points: { show: false, filter, size: 4, fill: color, width: 0 },
              ...(isSwitch &&
                uPlot.paths.stepped && { paths: uPlot.paths.stepped({ align: 1 }), fill: `${color}1f`, fillTo: 0 }),
            }
          }),
        ],
      })}
    >
      {instant && (
        <div
          ref={needle}
          style={{
            position: 'absolute',
            top: 0,
            bottom: 24,
            left: 0,
            borderLeft: '2px solid var(--mantine-primary-color-filled)',
            pointerEvents: 'none',
          }}
        />
      )}
    </Plot>
  )
}

function showView(chart: uPlot | undefined, { fromMs, toMs }: TimeView): void {
  chart?.setScale('x', { min: fromMs / 1000, max: toMs / 1000 })
}

function timeAt(chart: uPlot, left: number): number {
  return chart.posToVal(left, 'x') * 1000
}

/** The text under a tick of a time axis: the day where it begins, else the time, with seconds only where they differ. */
function timeTick(second: number, before: number | undefined): string {
  const timeMs = second * 1000
  const isDay = wallClock(timeMs).getTime() % 86_400_000 === 0
  if (isDay) return dateFormat({ day: 'numeric', month: 'short' }).format(timeMs)
  const isFine = second % 60 !== 0 || (before !== undefined && second - before < 60)
  const clock = { hour: '2-digit', minute: '2-digit', ...(isFine && { second: '2-digit' as const }) } as const
  return dateFormat(clock).format(timeMs)
}

/** An interval that is marked in a chart. */
export interface TimeBand {
  readonly fromMs: number
  /** Infinity while it is running. */
  readonly toMs: number
  /** As `#rrggbb`. */
  readonly color: string
  /** Without the line at its beginning: for what fills much of the time. */
  readonly isSoft?: boolean
}

const OPACITY = 0.14

/** What is shorter is seen all the same. */
const LEAST_PX = 2

/** Draws intervals as bands behind the lines of a chart. */
function drawBands(chart: uPlot, bands: readonly TimeBand[]): void {
  const { ctx, bbox } = chart
  const least = LEAST_PX * devicePixelRatio
  const end = bbox.left + bbox.width
  const leftOf = (timeMs: number) => Math.min(end, Math.max(bbox.left, chart.valToPos(timeMs / 1000, 'x', true)))
  ctx.save()
  for (const { fromMs, toMs, color, isSoft } of bands) {
    const left = leftOf(fromMs)
    const right = Number.isFinite(toMs) ? leftOf(toMs) : end
    // It is before what is shown, or after.
    if (right === bbox.left || left === end) continue
    ctx.fillStyle = color
    ctx.globalAlpha = OPACITY
    ctx.fillRect(left, bbox.top, isSoft ? Math.max(least, right - left) : right - left, bbox.height)
    if (isSoft) continue
    ctx.globalAlpha = 1
    ctx.fillRect(left, bbox.top, least, bbox.height)
  }
  ctx.restore()
}

/** A step of the wheel by a usual mouse, 100 pixels, makes a view a quarter longer or shorter. */
const ZOOM_PER_PIXEL = Math.log(1.25) / 100
const PIXELS_OF_A_LINE = 16

/**
 * The view after what wheel, pointer or fingers did; undefined where that changes nothing. The wheel zooms around the
 * pointer with Ctrl, as two fingers on a touchpad do, and pans sideways; by itself it scrolls the page as everywhere.
 * Dragging with Shift or the middle button pans, one finger pans, two fingers zoom. Dragging a range to zoom into is uPlot's
 * own.
 *
 * @param held where pointers are that pan, by their ids; kept up to date here
 */
function viewAfter(event: Event, over: HTMLElement, view: TimeView, held: Map<number, number>): TimeView | undefined {
  const panned = (pixels: number) => moved(view, (pixels / over.clientWidth) * (view.toMs - view.fromMs))
  if (event instanceof WheelEvent) {
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
    // Browsers report a pinch on a touchpad as a wheel with Ctrl.
    if (!isSideways && !event.ctrlKey && !event.metaKey) return undefined
    event.preventDefault()
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? PIXELS_OF_A_LINE : 1
    const [sideways, along] = [event.deltaX * pixels, event.deltaY * pixels]
    if (isSideways) return panned(event.shiftKey ? sideways + along : sideways)
    return zoomed(view, Math.exp(along * ZOOM_PER_PIXEL), timeUnder(event.clientX, over, view))
  }
  if (!(event instanceof PointerEvent)) return undefined
  const { type, pointerId, pointerType, button, clientX } = event
  const beforeX = held.get(pointerId)
  const isPanning = pointerType === 'touch' || button === 1 || (button === 0 && event.shiftKey)
  if (type === 'pointerdown' && isPanning) {
    held.set(pointerId, clientX)
    over.setPointerCapture(pointerId)
    if (pointerType !== 'touch') event.preventDefault()
  } else if (type === 'pointermove' && beforeX !== undefined) {
    held.set(pointerId, clientX)
    const other = [...held].find(([id]) => id !== pointerId)?.[1]
    if (other === undefined) return panned(beforeX - clientX)
    const [distance, before] = [Math.abs(clientX - other), Math.abs(beforeX - other)]
    if (distance > 0 && before > 0) return zoomed(view, before / distance, timeUnder((clientX + other) / 2, over, view))
  } else if (type !== 'pointermove') held.delete(pointerId)
  return undefined
}

function timeUnder(clientX: number, over: HTMLElement, { fromMs, toMs }: TimeView): number {
  const { left, width } = over.getBoundingClientRect()
  return fromMs + ((clientX - left) / width) * (toMs - fromMs)
}
