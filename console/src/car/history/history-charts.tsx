import { Group, Stack, Text, UnstyledButton, useComputedColorScheme, useMantineTheme } from '@mantine/core'
import { type Atom, createAtom, useSelector } from '@tanstack/react-store'
import { type ReactNode, useMemo, useState } from 'react'
import { type TimeView, valueAt } from '../../chart/chart-data.ts'
import { LineChart, type TimeBand } from '../../chart/line-chart.tsx'
import { lineColor } from '../../chart/plot.tsx'
import { formatDateTime, formatTime, type Texts, useTexts } from '../../language/language.ts'
import { Hint } from '../../page/page.tsx'
import { type HistorySeries, seriesValueText, stacksOf } from './history-series.ts'

const HEIGHT_PX = 130
const ONLY_HEIGHT_PX = 300

/** Switches are on or off. */
const SWITCH_HEIGHT_PX = 70

interface HistoryChartsProps {
  readonly series: readonly HistorySeries[]
  readonly view: TimeView
  /** When the car was on a trip. */
  readonly trips: readonly TimeBand[]
  readonly onView: (view: TimeView) => void
  readonly onReset: () => void
  readonly onToggle: (eventType: string) => void
  /** Over the charts, such as that there is nothing in them. */
  readonly children: ReactNode
}

/** The lines over time, a small chart for each unit, one below the other, and what is under the pointer. */
export function HistoryCharts({ series, view, trips, onView, onReset, onToggle, children }: HistoryChartsProps) {
  const texts = useTexts('history')
  // The charts are not drawn anew while the pointer moves.
  const [pointed] = useState(() => createAtom<number | undefined>(undefined))
  const stacks = useMemo(() => stacksOf(series), [series])
  const rest = stacks.length === 1 ? ONLY_HEIGHT_PX : HEIGHT_PX
  return (
    <>
      <HistoryLegend series={series} pointed={pointed} toMs={view.toMs} onToggle={onToggle} />
      <Stack gap={4} pos="relative">
        {stacks.map(({ key, isSwitch, lines }, index) => (
          <LineChart
            key={key}
            series={lines}
            fromMs={view.fromMs}
            toMs={view.toMs}
            heightPx={isSwitch ? SWITCH_HEIGHT_PX : rest}
            hasTimes={index === stacks.length - 1}
            label={texts.chartLabel(
              lines.map(line => line.name).join(', '),
              formatDateTime(view.fromMs),
              formatDateTime(view.toMs),
            )}
            bands={trips}
            onView={onView}
            onReset={onReset}
            onPoint={timeMs => pointed.set(() => timeMs)}
          />
        ))}
        {children}
      </Stack>
    </>
  )
}

interface HistoryLegendProps extends Pick<HistoryChartsProps, 'series' | 'onToggle'> {
  /** The instant under the pointer. */
  readonly pointed: Atom<number | undefined>
  /** The end of what is shown. */
  readonly toMs: number
}

/** The lines with their colours and their values under the pointer, else their last ones in view; each can be hidden. */
function HistoryLegend({ series, pointed, toMs, onToggle }: HistoryLegendProps) {
  const pointedMs = useSelector(pointed)
  const texts = useTexts('history')
  const theme = useMantineTheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const valueOf = (line: HistorySeries) => {
    const { timesMs, values } = line
    const last = values[timesMs.findLastIndex(timeMs => timeMs <= toMs)]
    const value = pointedMs === undefined ? last : valueAt(line, pointedMs)
    return value === undefined ? texts.noValue : seriesValueText(line, value)
  }
  return (
    <Group gap="xs" role="group" aria-label={texts.legend} mih={34}>
      {series.map((line, index) => (
        <UnstyledButton
          key={line.eventType}
          aria-pressed={!line.isHidden}
          title={texts.toggle(line.name)}
          onClick={() => onToggle(line.eventType)}
          px={8}
          py={4}
          opacity={line.isHidden ? 0.55 : 1}
          style={{ borderRadius: 8, border: '1px solid var(--mantine-color-default-border)' }}
        >
          <Group gap={6} wrap="nowrap">
            <span
              aria-hidden
              style={{
                width: 14,
                height: 3,
                borderRadius: 2,
                background: line.isHidden ? 'var(--mantine-color-dimmed)' : lineColor(theme, isDark, index),
              }}
            />
            <Text fz="sm" td={line.isHidden ? 'line-through' : undefined}>
              {line.name}
            </Text>
            <Text fz="sm" fw={600}>
              {valueOf(line)}
            </Text>
          </Group>
        </UnstyledButton>
      ))}
      <Hint ml="auto">{pointedMs === undefined ? lastText(series, toMs, texts) : instantText(pointedMs)}</Hint>
    </Group>
  )
}

/** When the values were measured that the legend shows: a value in view may be old. */
function lastText(series: readonly HistorySeries[], toMs: number, texts: Texts<'history'>): string {
  const lastMs = Math.max(
    ...series
      .filter(({ isHidden }) => !isHidden)
      .map(({ timesMs }) => timesMs.findLast(timeMs => timeMs <= toMs) ?? Number.NEGATIVE_INFINITY),
  )
  return Number.isFinite(lastMs) ? texts.latestAt(instantText(lastMs)) : texts.latest
}

const DAY_MS = 86_400_000

function instantText(timeMs: number): string {
  return Date.now() - timeMs < DAY_MS ? formatTime(timeMs) : formatDateTime(timeMs)
}
