import type uPlot from 'uplot'

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
export function drawBands(chart: uPlot, bands: readonly TimeBand[]): void {
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
