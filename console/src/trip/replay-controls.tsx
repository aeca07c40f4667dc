import { ActionIcon, Group, SegmentedControl, Slider, Stack, Text } from '@mantine/core'
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react'
import { useId } from 'react'
import { formatQuantity, formatTime } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { carAt } from '../route-map/track.ts'
import { OccurrenceMarks } from './occurrence-marks.tsx'
import type { Occurrence } from './occurrences.ts'
import { type Recording, speedAt } from './recording.ts'
import { RATES, type ReplayClock } from './replay-clock.ts'
import { useReplayState, useReplayTime } from './use-replay-clock.ts'

interface ReplayControlsProps {
  readonly clock: ReplayClock
  readonly beginMs: number
  readonly endMs: number
  readonly recording: Recording
  readonly occurrences: readonly Occurrence[]
}

/** Plays the trip, and goes to any instant of it. */
export function ReplayControls({ clock, beginMs, endMs, recording, occurrences }: ReplayControlsProps) {
  const texts = useTexts('trip')
  const { track, speed: measuredSpeed } = recording
  const language = useLanguage()
  const { isPlaying, rate } = useReplayState(clock)
  const timeMs = useReplayTime(clock)
  const keysId = useId()
  const speedKmh = carAt(track, timeMs)?.speedKmh ?? speedAt(measuredSpeed, timeMs)
  const time = formatTime(timeMs, language)
  const speed = speedKmh === undefined ? '' : formatQuantity(speedKmh, 'km/h', language, 0)
  const lengthS = Math.max(1, Math.ceil((endMs - beginMs) / 1000))
  return (
    <Stack gap="xs" role="group" aria-label={texts.replay} aria-describedby={keysId}>
      <Stack gap={0}>
        <OccurrenceMarks occurrences={occurrences} beginMs={beginMs} endMs={endMs} />
        <Slider
          min={0}
          max={lengthS}
          step={1}
          value={Math.round((timeMs - beginMs) / 1000)}
          onChange={second => clock.seek(beginMs + second * 1000)}
          label={second => formatTime(beginMs + second * 1000, language)}
          thumbLabel={texts.position}
          thumbValueText={[time, speed].filter(Boolean).join(', ')}
          size="sm"
        />
      </Stack>
      <Group gap="sm" justify="space-between">
        <Group gap="sm" wrap="nowrap">
          <ActionIcon
            size="lg"
            radius="xl"
            variant="filled"
            aria-label={isPlaying ? texts.pause : texts.play}
            onClick={isPlaying ? clock.pause : clock.play}
          >
            {isPlaying ? <IconPlayerPauseFilled size={18} /> : <IconPlayerPlayFilled size={18} />}
          </ActionIcon>
          <Text fz="sm" fw={600} miw={64}>
            {time}
          </Text>
          <Text fz="sm" fw={600} miw={70} ta="right">
            {speed}
          </Text>
        </Group>
        <SegmentedControl
          size="xs"
          aria-label={texts.rate}
          value={String(rate)}
          onChange={chosen => clock.setRate(Number(chosen))}
          data={RATES.map(value => ({ value: String(value), label: `${value}×` }))}
        />
      </Group>
      <Text id={keysId} fz="xs" c="dimmed" visibleFrom="sm">
        {texts.keys}
      </Text>
    </Stack>
  )
}
