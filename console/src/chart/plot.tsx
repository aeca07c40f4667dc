import 'uplot/dist/uPlot.min.css'
import { type MantineTheme, useComputedColorScheme, useMantineTheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { type ReactNode, type RefObject, useEffect, useEffectEvent, useRef } from 'react'
import uPlot from 'uplot'
import { formatNumber, formatQuantity, useLanguage } from '../language/language.ts'

/** Room for a figure with its unit, so that charts begin below each other. */
export const AXIS_PX = 84

/** What is told to a chart from inside. */
const HOOKS = ['draw', 'drawClear', 'setCursor', 'setSelect'] as const
const EVENTS = ['click', 'dblclick', 'wheel', 'pointerdown', 'pointermove', 'pointerup', 'pointercancel'] as const

/** How all charts look. */
interface Looks {
  readonly axis: uPlot.Axis
  readonly valueAxis: (unit: string) => uPlot.Axis
  readonly colorOf: (index: number) => string
}

interface PlotProps {
  /** Where the chart is found while there is one. */
  readonly chartRef: RefObject<uPlot | undefined>
  readonly data: uPlot.AlignedData
  /** A new chart is made when this changes, and when size, colours or language do; else it only gets new data. */
  readonly looks: string
  readonly options: (looks: Looks) => Omit<uPlot.Options, 'width' | 'height'>
  readonly hooks: Partial<Readonly<Record<(typeof HOOKS)[number], (chart: uPlot) => void>>>
  /** Called with what pointer and wheel do over the lines or bars. */
  readonly onEvent?: (event: Event, chart: uPlot) => void
  /** Of what is under the pointer then. */
  readonly style?: Partial<CSSStyleDeclaration>
  readonly heightPx: number
  /** What the chart shows, for screen readers. */
  readonly label: string
  readonly children?: ReactNode
}

/** A chart of uPlot in the colours and formats of the console, as wide as its place. */
export function Plot({ chartRef, data, looks, heightPx, label, children, ...given }: PlotProps) {
  const { ref: place, width } = useElementSize<HTMLDivElement>()
  const canvas = useRef<HTMLDivElement>(null)
  const theme = useMantineTheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const language = useLanguage()
  const hook = useEffectEvent((name: (typeof HOOKS)[number], made: uPlot) => given.hooks[name]?.(made))
  const tell = useEffectEvent((event: Event, made: uPlot) => given.onEvent?.(event, made))
  const make = useEffectEvent((element: HTMLElement) => {
    const options = given.options({
      axis: axisOf(theme, isDark),
      valueAxis: unit => ({ ...axisOf(theme, isDark), ...valueAxisOf(unit) }),
      colorOf: index => lineColor(theme, isDark, index),
    })
    const made = new uPlot({ legend: { show: false }, ...options, width, height: heightPx }, data, element)
    Object.assign(made.over.style, given.style)
    return made
  })

  useEffect(() => {
    if (!canvas.current || width === 0) return
    const made = make(canvas.current)
    chartRef.current = made
    for (const name of HOOKS) made.hooks[name] = [() => hook(name, made)]
    for (const type of EVENTS) made.over.addEventListener(type, event => tell(event, made), { passive: false })
    return () => {
      chartRef.current = undefined
      made.destroy()
    }
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- axes are written in the language
  }, [chartRef, looks, theme, isDark, language, width, heightPx])
  useEffect(() => {
    chartRef.current?.setData(data)
  }, [chartRef, data])

  return (
    <div ref={place} role="img" aria-label={label} style={{ position: 'relative', height: heightPx }}>
      <div ref={canvas} />
      {children}
    </div>
  )
}

/** Distinguishable with colour vision deficiency, too, in light and dark (Okabe and Ito's order of hues). */
const LINE_COLORS = ['cyan', 'orange', 'violet', 'green', 'pink', 'blue'] as const

/** The colour of the line with this index, for legends beside a chart. */
export function lineColor(theme: MantineTheme, isDark: boolean, index: number): string {
  const hue = LINE_COLORS[index % LINE_COLORS.length] ?? 'cyan'
  return theme.colors[hue][isDark ? 4 : 8]
}

function axisOf({ colors, fontFamily }: MantineTheme, isDark: boolean): uPlot.Axis {
  const line = { stroke: isDark ? colors.dark[5] : colors.gray[2], width: 1 }
  const stroke = isDark ? colors.dark[1] : colors.gray[7]
  return { stroke, font: `12px ${fontFamily}`, grid: line, ticks: { ...line, size: 4 } }
}

/** The uppermost figure has the unit. */
function valueAxisOf(unit: string): uPlot.Axis {
  const text = (value: number, isLast: boolean) => (isLast ? formatQuantity(value, unit, 2) : formatNumber(value, 2))
  const values = (_chart: uPlot, ticks: readonly number[]) =>
    ticks.map((value, at) => text(value, at === ticks.length - 1))
  return { size: AXIS_PX, gap: 4, space: 26, values }
}
