import { Group, Text, UnstyledButton, useComputedColorScheme, useMantineTheme } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { valueAt } from '../../chart/chart-data.ts'
import { lineColor } from '../../chart/chart-options.ts'
import { formatDateTime, formatTime } from '../../language/format.ts'
import { type Language, type Texts, useLanguage, useTexts } from '../../language/language.ts'
import { type HistorySeries, seriesValueText } from './chart-series.ts'
import type { PointedInstant } from './pointed-instant.ts'

const DAY_MS = 86_400_000

interface HistoryLegendProps {
  readonly series: readonly HistorySeries[]
  readonly instant: PointedInstant
  /** The end of what is shown. */
  readonly toMs: number
  readonly onToggle: (eventType: string) => void
}

/** The lines with their colours and their values under the pointer, else their last ones in view; each can be hidden. */
export function HistoryLegend({ series, instant, toMs, onToggle }: HistoryLegendProps) {
  const texts = useTexts('history')
  const language = useLanguage()
  const theme = useMantineTheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  const pointedMs = useSyncExternalStore(instant.subscribe, instant.timeMs)
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
              {legendValue(line, pointedMs, toMs, language) ?? texts.noValue}
            </Text>
          </Group>
        </UnstyledButton>
      ))}
      <Text fz="sm" c="dimmed" ml="auto">
        {pointedMs === undefined ? lastText(series, toMs, texts, language) : instantText(pointedMs, language)}
      </Text>
    </Group>
  )
}

function legendValue(
  line: HistorySeries,
  pointedMs: number | undefined,
  toMs: number,
  language: Language,
): string | undefined {
  const value = pointedMs === undefined ? lastValue(line, toMs) : valueAt(line, pointedMs)
  return value === undefined ? undefined : seriesValueText(line, value, language)
}

function lastValue({ timesMs, values }: HistorySeries, toMs: number): number | undefined {
  return values[timesMs.findLastIndex(timeMs => timeMs <= toMs)]
}

/** When the values were measured that the legend shows: a value in view may be old. */
function lastText(series: readonly HistorySeries[], toMs: number, texts: Texts<'history'>, language: Language): string {
  const lastMs = Math.max(
    ...series
      .filter(({ isHidden }) => !isHidden)
      .map(({ timesMs }) => timesMs.findLast(timeMs => timeMs <= toMs) ?? Number.NEGATIVE_INFINITY),
  )
  return Number.isFinite(lastMs) ? texts.latestAt(instantText(lastMs, language)) : texts.latest
}

function instantText(timeMs: number, language: Language): string {
  return Date.now() - timeMs < DAY_MS ? formatTime(timeMs, language) : formatDateTime(timeMs, language)
}
