import { Stack, Text, Timeline, Title } from '@mantine/core'
import { IconFlag, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import type { TripExplanation } from '../../api/types.ts'
import { formatDateTime, formatDuration, formatTime } from '../../language/format.ts'
import { type Texts, useLanguage, useTexts } from '../../language/language.ts'
import { MeasuredThen } from './measured-then.tsx'

/** What began the trip, what interrupted it, what ended it. */
export function CourseTimeline({ explanation }: { readonly explanation: TripExplanation }) {
  const texts = useTexts('explanation')
  const language = useLanguage()
  const { opened, closed, interruptions, state } = explanation
  return (
    <Stack gap="sm">
      <Title order={2} fz="h4">
        {texts.course}
      </Title>
      <Timeline bulletSize={26} lineWidth={2} active={interruptions.length + 1}>
        <Timeline.Item bullet={<IconPlayerPlay size={14} aria-hidden />} title={texts.begin}>
          {opened && (
            <Text fz="sm" c="dimmed">
              {formatDateTime(Date.parse(opened.sample.recordedTimestamp), language)}
            </Text>
          )}
          <Text fz="sm">{opened?.description ?? texts.beginUnknown}</Text>
          {opened && <MeasuredThen events={opened.sample.events} />}
        </Timeline.Item>
        {interruptions.map(({ kind, description, fromTimestamp, toTimestamp, seconds }) => (
          <Timeline.Item
            key={`${kind} ${fromTimestamp}`}
            bullet={<IconPlayerPause size={14} aria-hidden />}
            title={description}
          >
            <Text fz="sm" c="dimmed">
              {`${formatTime(Date.parse(fromTimestamp), language)} – ${formatTime(Date.parse(toTimestamp), language)}, `}
              {texts.lasted(formatDuration(seconds))}
            </Text>
          </Timeline.Item>
        ))}
        <Timeline.Item bullet={<IconFlag size={14} aria-hidden />} title={texts.end}>
          {closed && (
            <Text fz="sm" c="dimmed">
              {formatDateTime(Date.parse(closed.sample.recordedTimestamp), language)}
            </Text>
          )}
          <Text fz="sm">{closed?.description ?? openEndText(state, texts)}</Text>
          {closed && <MeasuredThen events={closed.sample.events} />}
        </Timeline.Item>
      </Timeline>
    </Stack>
  )
}

function openEndText(state: TripExplanation['state'], texts: Texts<'explanation'>): string {
  if (state === 'DRIVING') return texts.goesOn
  return state === 'MAY_GO_ON' ? texts.mayGoOn : texts.endUnknown
}
