import { useMemo } from 'react'
import type { ChartSeries } from '../chart/chart-data.ts'
import { LineChart } from '../chart/line-chart.tsx'
import type { TimeBand } from '../chart/time-bands.ts'
import { formatQuantity } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import type { SpeedCurve } from './recording.ts'
import type { ReplayClock } from './replay-clock.ts'
import { tripTexts } from './texts.ts'

/** Longer without a reading is a gap: moving cars report several times a minute. */
const GAP_MS = 90_000

interface SpeedChartProps {
  readonly speed: SpeedCurve
  readonly beginMs: number
  readonly endMs: number
  readonly clock: ReplayClock
  /** When something was going on. */
  readonly bands: readonly TimeBand[]
}

/** The speed over the trip, with the instant of the replay; a click goes there. */
export function SpeedChart({ speed, beginMs, endMs, clock, bands }: SpeedChartProps) {
  const texts = useTexts(tripTexts)
  const language = useLanguage()
  const series = useMemo(
    (): readonly ChartSeries[] => [
      { name: texts.speed, unit: 'km/h', timesMs: speed.timesMs, values: speed.valuesKmh, gapMs: GAP_MS },
    ],
    [speed, texts],
  )
  if (speed.timesMs.length < 2) return null
  const mostKmh = speed.valuesKmh.reduce((most, kmh) => Math.max(most, kmh), 0)
  return (
    <LineChart
      series={series}
      fromMs={beginMs}
      toMs={endMs}
      heightPx={150}
      label={texts.speedChart(formatQuantity(mostKmh, 'km/h', language, 0))}
      bands={bands}
      instant={clock}
      onPick={clock.seek}
    />
  )
}
