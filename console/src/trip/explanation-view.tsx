import { Alert, Box, Group, List, SimpleGrid, Stack, Table, Text, Timeline, Title } from '@mantine/core'
import { IconFlag, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { LastEvent, TripExplanation } from '../api/types.ts'
import {
  formatDateTime,
  formatDuration,
  formatNumber,
  formatQuantity,
  formatTime,
  type Texts,
  useTexts,
} from '../language/language.ts'
import { ErrorState, LoadingState } from '../page/page.tsx'
import { explanationQuery } from './trip-queries.ts'

/** Why the trip begins and ends where it does, and how far it was. */
export function ExplanationView({ tripId, isRunning }: { readonly tripId: string; readonly isRunning: boolean }) {
  const { data: explanation, error, refetch } = useQuery(explanationQuery(tripId, isRunning))
  if (!explanation) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
  return (
    <Stack gap="lg">
      {explanation.remarks.map(remark => (
        <Alert key={remark} color="yellow">
          {remark}
        </Alert>
      ))}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <CourseTimeline explanation={explanation} />
        <DistanceAccount explanation={explanation} />
      </SimpleGrid>
      <RulesTable rules={explanation.rules} />
    </Stack>
  )
}

/** What began the trip, what interrupted it, what ended it. */
function CourseTimeline({ explanation }: { readonly explanation: TripExplanation }) {
  const texts = useTexts('explanation')
  const { opened, closed, interruptions, state } = explanation
  return (
    <Stack gap="sm">
      <Title order={2} fz="h4">
        {texts.course}
      </Title>
      <Timeline bulletSize={26} lineWidth={2} active={interruptions.length + 1}>
        <Timeline.Item bullet={<IconPlayerPlay size={14} aria-hidden />} title={texts.begin}>
          <Boundary boundary={opened} otherwise={texts.beginUnknown} />
        </Timeline.Item>
        {interruptions.map(({ kind, description, fromTimestamp, toTimestamp, seconds }) => (
          <Timeline.Item
            key={`${kind} ${fromTimestamp}`}
            bullet={<IconPlayerPause size={14} aria-hidden />}
            title={description}
          >
            <Text fz="sm" c="dimmed">
              {`${formatTime(Date.parse(fromTimestamp))} – ${formatTime(Date.parse(toTimestamp))}, `}
              {texts.lasted(formatDuration(seconds))}
            </Text>
          </Timeline.Item>
        ))}
        <Timeline.Item bullet={<IconFlag size={14} aria-hidden />} title={texts.end}>
          <Boundary boundary={closed} otherwise={openEndText(state, texts)} />
        </Timeline.Item>
      </Timeline>
    </Stack>
  )
}

interface BoundaryProps {
  readonly boundary: TripExplanation['opened'] | TripExplanation['closed']
  readonly otherwise: string
}

/** When and by what a trip began or ended. */
function Boundary({ boundary, otherwise }: BoundaryProps) {
  if (!boundary) return <Text fz="sm">{otherwise}</Text>
  const { description, sample } = boundary
  return (
    <>
      <Text fz="sm" c="dimmed">
        {formatDateTime(Date.parse(sample.recordedTimestamp))}
      </Text>
      <Text fz="sm">{description}</Text>
      <MeasuredThen events={sample.events} />
    </>
  )
}

function openEndText(state: TripExplanation['state'], texts: Texts<'explanation'>): string {
  if (state === 'DRIVING') return texts.goesOn
  return state === 'MAY_GO_ON' ? texts.mayGoOn : texts.endUnknown
}

/** The deciding measurements, by their names in the API, for a closer look. */
export function MeasuredThen({ events }: { readonly events: readonly LastEvent[] }) {
  const texts = useTexts('explanation')
  if (events.length === 0) return null
  return (
    <details>
      <Text component="summary" fz="sm" style={{ cursor: 'pointer' }}>
        {texts.measuredThen(events.length)}
      </Text>
      <Box py={4}>
        {events.map(event => (
          <Group key={event.eventType} gap="xs" justify="space-between" maw={420}>
            <Text fz="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {event.eventType}
            </Text>
            <Text fz="xs">{valueText(event, texts)}</Text>
          </Group>
        ))}
      </Box>
    </details>
  )
}

function valueText({ value, unit }: LastEvent, texts: Texts<'explanation'>): string {
  if (typeof value === 'boolean') return value ? texts.yes : texts.no
  if (typeof value === 'number') return formatQuantity(value, unit ?? '', 3)
  return value === '' ? '–' : value
}

/** How far by which instrument, which one counts, and what was left out. */
function DistanceAccount({ explanation }: { readonly explanation: TripExplanation }) {
  const texts = useTexts('explanation')
  const { distance, positions, samples } = explanation
  const rows = [
    [texts.counted, distance.counted],
    [texts.odometer, distance.odometer],
    [texts.positions, distance.positions],
    [texts.difference, distance.difference],
  ] as const
  const { least, most } = distance
  const shownKm = (km: number) => formatQuantity(km, 'km', 3)
  return (
    <Stack gap="sm">
      <Title order={2} fz="h4">
        {texts.distance}
      </Title>
      {distance.description && <Text fz="sm">{distance.description}</Text>}
      <Table variant="vertical" aria-label={texts.distance} withTableBorder>
        <Table.Tbody>
          {rows.map(([name, km]) => (
            <Table.Tr key={name}>
              <Table.Th>{name}</Table.Th>
              <Table.Td ta="right">{km === null ? texts.notMeasured : shownKm(km)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {least !== null && most !== null && <Text fz="sm">{texts.range(shownKm(least), shownKm(most))}</Text>}
      <Text fz="sm">{texts.fixes(formatNumber(positions.counted), formatNumber(samples))}</Text>
      {distance.contradictions.map(({ kind, description }) => (
        <Text key={kind} fz="sm">
          {description}
        </Text>
      ))}
      {distance.odometerJumps > 0 && <Text fz="sm">{texts.odometerJumps(distance.odometerJumps)}</Text>}
      {positions.relocations > 0 && <Text fz="sm">{texts.relocations(positions.relocations)}</Text>}
      {positions.dropped.length > 0 && (
        <Stack gap={4}>
          <Text fz="sm">{texts.dropped}</Text>
          <List size="sm">
            {positions.dropped.map(({ reason, description, count }) => (
              <List.Item key={reason}>{`${formatNumber(count)} × ${description}`}</List.Item>
            ))}
          </List>
        </Stack>
      )}
    </Stack>
  )
}

type Rule = TripExplanation['rules'][number]

/** The rules of trips with their values, collapsed, because most people do not need them. */
function RulesTable({ rules }: { readonly rules: readonly Rule[] }) {
  const texts = useTexts('explanation')
  return (
    <details>
      <Text component="summary" fz="sm" style={{ cursor: 'pointer' }}>
        {texts.rules}
      </Text>
      <Table mt="xs" aria-label={texts.rules}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.rule}</Table.Th>
            <Table.Th ta="right">{texts.value}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rules.map(rule => (
            <Table.Tr key={rule.name}>
              <Table.Td>{rule.description}</Table.Td>
              <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                {ruleValueText(rule)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </details>
  )
}

function ruleValueText({ value, unit }: Rule): string {
  return unit === 'ms' ? formatDuration(value / 1000) : formatQuantity(value, unit, 3)
}
