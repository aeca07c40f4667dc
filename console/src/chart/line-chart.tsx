import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme, useMantineTheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { useEffect, useEffectEvent, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import { useLanguage } from '../language/language.ts'
import {
  type ChartSeries,
  chartColumns,
  inShownUnit,
  lonelyIndexes,
  moved,
  type TimeView,
  within,
  zoomed,
} from './chart-data.ts'
import { chartOptions, type LineLooks } from './chart-options.ts'

/** A moving instant, such as that of a replay: passed to the chart without rerendering the page. */
interface MovingInstant {
  readonly timeMs: () => number
  /** @returns what ends it */
  readonly subscribe: (listener: () => void) => () => void
}

interface LineChartProps {
  readonly series: readonly ChartSeries[]
  readonly fromMs: number
  readonly toMs: number
  readonly heightPx: number
  /** What the chart shows, for screen readers. */
  readonly label: string
  /** The width of the axis on the left, for charts below each other. */
  readonly axisPx?: number
  /** Whether times are shown below; of several charts, one is enough. */
  readonly hasTimes?: boolean
  /** Intervals that are marked behind the lines. */
  readonly bands?: readonly TimeBand[] | undefined
  /** Marked in the chart as it moves. */
  readonly instant?: MovingInstant
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

/** Lines over time, in the colours and formats of the console, as wide as its place. */
export function LineChart(props: LineChartProps) {
  const { fromMs, toMs, heightPx, label, bands = NO_BANDS, axisPx, hasTimes = true } = props
  const { instant, onPick, onView, onReset, onPoint } = props
  const { ref: place, width } = useElementSize<HTMLDivElement>()
  const canvas = useRef<HTMLDivElement>(null)
  const theme = useMantineTheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const language = useLanguage()
  const series = useMemo(() => props.series.map(inShownUnit), [props.series])
  const columns = useMemo(() => chartColumns(series), [series])
  const lonely = useMemo(() => columns.slice(1).map(column => lonelyIndexes(column)), [columns])
  const shown = useRef<uPlot>(undefined)
  const pick = useEffectEvent((timeMs: number) => onPick?.(timeMs))

  // What a line looks like does not depend on its values, which may change often.
  const looks = JSON.stringify(
    series.map(
      ({ name, unit, isSwitch = false, colorIndex }, index): LineLooks => ({
        name,
        unit,
        isSwitch,
        colorIndex: colorIndex ?? index,
      }),
    ),
  )
  const hidden = series.map(({ isHidden = false }) => isHidden).join()
  const latest = useEffectEvent(() => ({ columns, lonely, hidden, bands }))
  const view = useRef<TimeView>({ fromMs, toMs })
  const movedMs = useRef(Number.NEGATIVE_INFINITY)
  const move = useEffectEvent((wanted: TimeView) => {
    view.current = within(wanted, Date.now())
    movedMs.current = performance.now()
    showView(shown.current, view.current)
    onView?.(view.current)
  })
  const reset = useEffectEvent(() => {
    movedMs.current = Number.NEGATIVE_INFINITY
    onReset?.()
  })
  const point = useEffectEvent((timeMs: number | undefined) => onPoint?.(timeMs))
  const isZoomable = onView !== undefined
  const isPickable = onPick !== undefined
  const needle = useRef<HTMLDivElement>(null)
  const moveNeedle = useEffectEvent(() => {
    const chart = shown.current
    if (!chart || !needle.current || !instant) return
    const left = chart.over.offsetLeft + chart.valToPos(instant.timeMs() / 1000, 'x')
    needle.current.style.transform = `translateX(${left}px)`
  })

  useEffect(() => {
    if (!canvas.current || width === 0) return
    const { columns: data } = latest()
    const options = chartOptions({
      lines: JSON.parse(looks) as readonly LineLooks[],
      theme,
      isDark,
      width,
      heightPx,
      range: () => [view.current.fromMs / 1000, view.current.toMs / 1000],
      lonely: index => latest().lonely[index] ?? [],
      isZoomable,
      axisPx,
      hasTimes,
    })
    const chart = new uPlot(options, data, canvas.current)
    shown.current = chart
    // The same instant is at another position after the chart was redrawn.
    chart.hooks.draw = [() => moveNeedle()]
    chart.hooks.drawClear = [drawn => drawBands(drawn, latest().bands)]
    chart.hooks.setCursor = [
      () =>
        point(chart.cursor.left === undefined || chart.cursor.left < 0 ? undefined : timeAt(chart, chart.cursor.left)),
    ]
    chart.hooks.setSelect = [
      () => {
        const { left, width: selected } = chart.select
        if (selected === 0) return
        chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        move({ fromMs: timeAt(chart, left), toMs: timeAt(chart, left + selected) })
      },
    ]
    showHidden(chart, latest().hidden)
    const stopFollowing = isZoomable
      ? followGestures(chart, { view: () => view.current, onView: wanted => move(wanted), onReset: () => reset() })
      : undefined
    const over = chart.over
    const onClick = (event: MouseEvent) => {
      pick(chart.posToVal(event.clientX - over.getBoundingClientRect().left, 'x') * 1000)
    }
    if (isPickable) {
      over.style.cursor = 'pointer'
      over.addEventListener('click', onClick)
    }
    return () => {
      shown.current = undefined
      stopFollowing?.()
      chart.destroy()
    }
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- axes are written in the language
  }, [looks, theme, isDark, language, width, heightPx, isPickable, isZoomable, axisPx, hasTimes])

  useEffect(() => {
    shown.current?.setData(columns)
  }, [columns])
  useEffect(() => {
    if (!shown.current) return
    shown.current.hooks.drawClear = [drawn => drawBands(drawn, bands)]
    shown.current.redraw(false)
  }, [bands])
  useEffect(() => {
    if (performance.now() - movedMs.current < STILL_MOVING_MS) return
    view.current = { fromMs, toMs }
    showView(shown.current, view.current)
  }, [fromMs, toMs])
  useEffect(() => {
    if (shown.current) showHidden(shown.current, hidden)
  }, [hidden])

  useEffect(() => {
    if (!instant) return
    moveNeedle()
    return instant.subscribe(() => moveNeedle())
  }, [instant])

  return (
    <div ref={place} role="img" aria-label={label} style={{ position: 'relative', height: heightPx }}>
      <div ref={canvas} />
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
    </div>
  )
}

function showView(chart: uPlot | undefined, { fromMs, toMs }: TimeView): void {
  chart?.setScale('x', { min: fromMs / 1000, max: toMs / 1000 })
}

/** @param hidden `true` or `false` of every line, separated by commas */
function showHidden(chart: uPlot, hidden: string): void {
  for (const [index, isHidden] of hidden.split(',').entries()) {
    const series = chart.series[index + 1]
    if (series && series.show === (isHidden === 'true')) chart.setSeries(index + 1, { show: isHidden !== 'true' })
  }
}

function timeAt(chart: uPlot, left: number): number {
  return chart.posToVal(left, 'x') * 1000
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
  const leftOf = (timeMs: number) =>
    Math.min(bbox.left + bbox.width, Math.max(bbox.left, chart.valToPos(timeMs / 1000, 'x', true)))
  ctx.save()
  const { min = 0, max = 0 } = chart.scales.x ?? {}
  for (const { fromMs, toMs, color, isSoft } of bands) {
    if (toMs / 1000 < (min ?? 0) || fromMs / 1000 > (max ?? 0)) continue
    const left = leftOf(fromMs)
    const right = Number.isFinite(toMs) ? leftOf(toMs) : bbox.left + bbox.width
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
function followGestures(chart: uPlot, { view, onView, onReset }: Gestures): () => void {
  const { over } = chart
  const ended = new AbortController()
  const { signal } = ended
  const timeUnder = (clientX: number) => {
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
    else onView(zoomed(view(), Math.exp(along * ZOOM_PER_PIXEL), timeUnder(event.clientX)))
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
    if (distance > 0 && before > 0) onView(zoomed(view(), before / distance, timeUnder((event.clientX + other[1]) / 2)))
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
