import { Text } from '@mantine/core'
import { useMemo } from 'react'
import type { ChartSeries } from '../chart/chart-data.ts'
import { LineChart } from '../chart/line-chart.tsx'
import type { TimeBand } from '../chart/time-bands.ts'
import { formatQuantity } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { eventTypeName } from '../measurements/measurement.ts'
import type { Recording } from './recording.ts'
import type { ReplayClock } from './replay-clock.ts'

/** Longer without a reading is a gap: moving cars report several times a minute. */
const SPEED_GAP_MS = 90_000

/** Levels change slowly, and are read seldom. */
const ENERGY_GAP_MS = 30 * 60_000

/** Room for a figure with its unit, so that the charts begin below each other. */
const AXIS_PX = 76

interface TripChartsProps {
  readonly recording: Recording
  readonly beginMs: number
  readonly endMs: number
  readonly clock: ReplayClock
  /** When something was going on. */
  readonly bands: readonly TimeBand[]
}

/** Speed, and fuel or charge, over the trip, with the instant of the replay; a click goes there. */
export function TripCharts({ recording: { speed, energy }, ...shared }: TripChartsProps) {
  const texts = useTexts('trip')
  const language = useLanguage()
  const mostKmh = speed.valuesKmh.reduce((most, kmh) => Math.max(most, kmh), 0)
  return (
    <>
      <TripChart
        {...shared}
        name={texts.speed}
        label={texts.speedChart(formatQuantity(mostKmh, 'km/h', language, 0))}
        unit="km/h"
        timesMs={speed.timesMs}
        values={speed.valuesKmh}
        gapMs={SPEED_GAP_MS}
        heightPx={170}
      />
      {energy && (
        <TripChart
          {...shared}
          name={eventTypeName(energy.eventType, language)}
          label={texts.energyChart(
            eventTypeName(energy.eventType, language),
            formatQuantity(energy.values[0] ?? 0, energy.unit, language),
            formatQuantity(energy.values.at(-1) ?? 0, energy.unit, language),
          )}
          unit={energy.unit}
          timesMs={energy.timesMs}
          values={energy.values}
          gapMs={ENERGY_GAP_MS}
          heightPx={100}
        />
      )}
    </>
  )
}

interface TripChartProps
  extends Omit<TripChartsProps, 'recording'>,
    Pick<ChartSeries, 'name' | 'unit' | 'timesMs' | 'values' | 'gapMs'> {
  readonly label: string
  readonly heightPx: number
}

function TripChart(props: TripChartProps) {
  const { name, label, unit, timesMs, values, gapMs, heightPx, beginMs, endMs, clock, bands } = props
  const series = useMemo(
    (): readonly ChartSeries[] => [{ name, unit, timesMs, values, gapMs }],
    [name, unit, timesMs, values, gapMs],
  )
  if (timesMs.length < 2) return null
  return (
    <div>
      <Text fz="xs" c="dimmed">
        {name}
      </Text>
      <LineChart
        series={series}
        fromMs={beginMs}
        toMs={endMs}
        heightPx={heightPx}
        label={label}
        bands={bands}
        axisPx={AXIS_PX}
        instant={clock}
        onPick={clock.seek}
      />
    </div>
  )
}
