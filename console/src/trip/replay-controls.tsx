import {
  ActionIcon,
  Box,
  Group,
  List,
  ScrollArea,
  SegmentedControl,
  Slider,
  Stack,
  Text,
  Title,
  UnstyledButton,
} from '@mantine/core'
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react'
import { useId, useSyncExternalStore } from 'react'
import { peakText, SEVERITY_COLORS, titleOf } from '../incidents/incident.ts'
import { formatDuration, formatQuantity, formatTime, type Texts, useTexts } from '../language/language.ts'
import { Hint, PageLink } from '../page/page.tsx'
import { carAt } from '../route-map/track.ts'
import { type Occurrence, type Recording, speedAt } from './recording.ts'
import { RATES, type ReplayClock, useReplayTime } from './replay-clock.ts'

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
  const isPlaying = useSyncExternalStore(clock.subscribe, clock.isPlaying)
  const rate = useSyncExternalStore(clock.subscribe, clock.rate)
  const timeMs = useReplayTime(clock)
  const keysId = useId()
  const speedKmh = carAt(track, timeMs)?.speedKmh ?? speedAt(measuredSpeed, timeMs)
  const time = formatTime(timeMs)
  const speed = speedKmh === undefined ? '' : formatQuantity(speedKmh, 'km/h', 0)
  const lengthS = Math.max(1, Math.ceil((endMs - beginMs) / 1000))
  return (
    <Stack gap="xs" role="group" aria-label={texts.replay} aria-describedby={keysId}>
      <Stack gap={0}>
        {/* Where something happened; the list beside says what, for keyboards and screen readers too. */}
        <Box pos="relative" h={10} aria-hidden>
          {occurrences.map((occurrence, index) => (
            <Box
              // biome-ignore lint/suspicious/noArrayIndexKey: several can happen at once, and they never change places
              key={index}
              pos="absolute"
              left={`${(occurrence.timeMs - beginMs) / (10 * lengthS)}%`}
              w={6}
              h={8}
              ml={-3}
              bg={SEVERITY_COLORS[occurrence.severity]}
              style={{ borderRadius: 2 }}
            />
          ))}
        </Box>
        <Slider
          min={0}
          max={lengthS}
          step={1}
          value={Math.round((timeMs - beginMs) / 1000)}
          onChange={second => clock.seek(beginMs + second * 1000)}
          label={second => formatTime(beginMs + second * 1000)}
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

interface OccurrenceListProps {
  readonly occurrences: readonly Occurrence[]
  readonly onPick: (timeMs: number) => void
}

/** What happened on the way, with its time; a click goes there. */
export function OccurrenceList({ occurrences, onPick }: OccurrenceListProps) {
  const texts = useTexts('trip')
  return (
    <Stack gap="xs">
      <Title order={2} fz="h4">
        {texts.onTheWay}
      </Title>
      {occurrences.length === 0 && <Hint>{texts.nothing}</Hint>}
      <ScrollArea.Autosize mah={420}>
        <List listStyleType="none" aria-label={texts.onTheWay}>
          {occurrences.map((occurrence, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: several can happen at once, and they never change places
            <List.Item key={index}>
              <Group gap="xs" wrap="nowrap" align="baseline">
                <UnstyledButton onClick={() => onPick(occurrence.timeMs)} py={3}>
                  <Group gap="xs" wrap="nowrap" align="baseline">
                    <Box
                      w={8}
                      h={8}
                      bg={SEVERITY_COLORS[occurrence.severity]}
                      style={{ borderRadius: 2, flexShrink: 0 }}
                      aria-hidden
                    />
                    <Text fz="sm" c="dimmed" component="span">
                      {formatTime(occurrence.timeMs)}
                    </Text>
                    <Text fz="sm" component="span">
                      {occurrenceText(occurrence, texts)}
                    </Text>
                  </Group>
                </UnstyledButton>
                {occurrence.kind === 'incident' && (
                  <PageLink
                    to="/incidents/$incidentId"
                    params={{ incidentId: occurrence.incident.id }}
                    fz="sm"
                    aria-label={texts.toIncidentOf(occurrenceText(occurrence, texts))}
                  >
                    {texts.toIncident}
                  </PageLink>
                )}
              </Group>
            </List.Item>
          ))}
        </List>
      </ScrollArea.Autosize>
    </Stack>
  )
}

function occurrenceText(occurrence: Occurrence, texts: Texts<'trip'>): string {
  switch (occurrence.kind) {
    case 'happening': {
      const quantity = formatQuantity(occurrence.value, occurrence.unit)
      return `${texts.happenings[occurrence.eventType]} (${quantity})`
    }
    case 'switch':
      return texts.switches[occurrence.eventType][occurrence.isOn ? 'on' : 'off']
    case 'incident':
      return [titleOf(occurrence.incident), peakText(occurrence.incident)].filter(Boolean).join(', ')
    case 'stop':
      return texts.stopped(formatDuration(occurrence.lengthMs / 1000))
    case 'code':
      return texts.code(occurrence.code)
  }
}
