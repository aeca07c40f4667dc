import type { HistorySeries } from './chart-series.ts'

interface HistoryStack {
  readonly key: string
  readonly isSwitch: boolean
  readonly lines: readonly HistorySeries[]
}

/** Lines of one unit share a chart, and switches do; each keeps the colour that it has in the legend. Hidden ones have none. */
export function stacksOf(series: readonly HistorySeries[]): readonly HistoryStack[] {
  const stacks = new Map<string, HistorySeries[]>()
  for (const [colorIndex, line] of series.entries()) {
    if (line.isHidden) continue
    const key = line.isSwitch ? 'switches' : `in ${line.unit}`
    const known = stacks.get(key)
    const shown = { ...line, colorIndex }
    if (known) known.push(shown)
    else stacks.set(key, [shown])
  }
  return [...stacks].map(([key, lines]) => ({ key, isSwitch: key === 'switches', lines }))
}
