import { Alert, Box, List, SimpleGrid, Stack, Text, Timeline, Title } from '@mantine/core'
import { IconFlag, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { LastEvent, TripExplanation } from '../api/types.ts'
import { type FactRow, FactRows } from '../figures/figures.tsx'
import {
  formatDateTime,
  formatDuration,
  formatNumber,
  formatQuantity,
  formatTime,
  type Texts,
  useTexts,
} from '../language/language.ts'
import { eventTypeName, valueText } from '../measurements/measurement.ts'
import { ErrorState, Hint, LoadingState } from '../page/page.tsx'
import { explanationQuery } from './trip-queries.ts'

/** Why the trip begins and ends where it does, and how far it was. */
export function ExplanationView({ tripId, isRunning }: { readonly tripId: string; readonly isRunning: boolean }) {
  const texts = useTexts('explanation')
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
      <Details summary={texts.rules} rows={explanation.rules.map(ruleRow)} />
    </Stack>
  )
}

/** A car that is heard of every half minute is interrupted as often. */
const MOST_INTERRUPTIONS = 8

/** What began the trip, what interrupted it longest, what ended it. */
function CourseTimeline({ explanation }: { readonly explanation: TripExplanation }) {
  const texts = useTexts('explanation')
  const { opened, closed, state } = explanation
  const silences = new Set(explanation.interruptions.filter(({ kind }) => kind === 'NO_DATA').map(timesText))
  // Where nothing was measured, there was no position either.
  const interruptions = explanation.interruptions.filter(
    each => each.kind !== 'NO_POSITION' || !silences.has(timesText(each)),
  )
  const byLength = interruptions.toSorted((a, b) => b.seconds - a.seconds)
  const longest = new Set(byLength.slice(0, MOST_INTERRUPTIONS))
  const others = interruptions.filter(each => !longest.has(each))
  return (
    <Stack gap="sm">
      <Title order={2} fz="h4">
        {texts.course}
      </Title>
      <Timeline bulletSize={26} lineWidth={2} active={longest.size + 1}>
        <Timeline.Item bullet={<IconPlayerPlay size={14} aria-hidden />} title={texts.begin}>
          <Boundary boundary={opened} otherwise={texts.beginUnknown} />
        </Timeline.Item>
        {interruptions
          .filter(each => longest.has(each))
          .map(each => (
            <Timeline.Item
              key={`${each.kind} ${each.fromTimestamp}`}
              bullet={<IconPlayerPause size={14} aria-hidden />}
              title={each.description}
            >
              <Hint>{`${timesText(each)}, ${texts.lasted(formatDuration(each.seconds))}`}</Hint>
            </Timeline.Item>
          ))}
        <Timeline.Item bullet={<IconFlag size={14} aria-hidden />} title={texts.end}>
          <Boundary boundary={closed} otherwise={openEndText(state, texts)} />
        </Timeline.Item>
      </Timeline>
      {others.length > 0 && (
        <Details
          summary={texts.others(others.length)}
          rows={others.map(each => ({
            name: `${timesText(each)}, ${each.description}`,
            text: formatDuration(each.seconds),
          }))}
        />
      )}
    </Stack>
  )
}

function timesText({ fromTimestamp, toTimestamp }: TripExplanation['interruptions'][number]): string {
  return [fromTimestamp, toTimestamp].map(timestamp => formatTime(Date.parse(timestamp))).join(' – ')
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
      <Hint>{formatDateTime(Date.parse(sample.recordedTimestamp))}</Hint>
      <Text fz="sm">{description}</Text>
      <MeasuredThen events={sample.events} />
    </>
  )
}

function openEndText(state: TripExplanation['state'], texts: Texts<'explanation'>): string {
  if (state === 'DRIVING') return texts.goesOn
  return state === 'MAY_GO_ON' ? texts.mayGoOn : texts.endUnknown
}

/** The deciding measurements, for a closer look. */
export function MeasuredThen({ events }: { readonly events: readonly LastEvent[] }) {
  const texts = useTexts('explanation')
  const rows = events.map(event => ({ name: eventTypeName(event.eventType), text: valueText(event) }))
  return rows.length > 0 && <Details summary={texts.measuredThen(events.length)} rows={rows} />
}

interface DetailsProps {
  readonly summary: string
  readonly rows: readonly FactRow[]
}

/** What most people do not need, collapsed. */
function Details({ summary, rows }: DetailsProps) {
  return (
    <details>
      <Text component="summary" fz="sm" style={{ cursor: 'pointer' }}>
        {summary}
      </Text>
      <Box py={4} maw={640}>
        <FactRows rows={rows} />
      </Box>
    </details>
  )
}

/** How far by which instrument, which one counts, and what was left out. */
function DistanceAccount({ explanation }: { readonly explanation: TripExplanation }) {
  const texts = useTexts('explanation')
  const { distance, positions, samples } = explanation
  const { least, most } = distance
  const shownKm = (km: number) => formatQuantity(km, 'km', 3)
  const row = (name: string, km: number | null) => ({ name, text: km === null ? texts.notMeasured : shownKm(km) })
  const remarks = [
    least !== null && most !== null && texts.range(shownKm(least), shownKm(most)),
    texts.fixes(formatNumber(positions.counted), formatNumber(samples)),
    ...distance.contradictions.map(({ description }) => description),
    distance.odometerJumps > 0 && texts.odometerJumps(distance.odometerJumps),
    positions.relocations > 0 && texts.relocations(positions.relocations),
    positions.dropped.length > 0 && texts.dropped,
  ].filter(remark => remark !== false)
  return (
    <Stack gap="sm">
      <Title order={2} fz="h4">
        {texts.distance}
      </Title>
      {distance.description && <Text fz="sm">{distance.description}</Text>}
      <FactRows
        rows={[
          row(texts.counted, distance.counted),
          row(texts.odometer, distance.odometer),
          row(texts.positions, distance.positions),
          row(texts.difference, distance.difference),
        ]}
      />
      {remarks.map(remark => (
        <Text key={remark} fz="sm">
          {remark}
        </Text>
      ))}
      <List size="sm">
        {positions.dropped.map(({ reason, description, count }) => (
          <List.Item key={reason}>{`${formatNumber(count)} × ${description}`}</List.Item>
        ))}
      </List>
    </Stack>
  )
}

/** A value by which trips are told apart. */
function ruleRow({ description, value, unit }: TripExplanation['rules'][number]): FactRow {
  return { name: description, text: ruleValueText(value, unit) }
}

function ruleValueText(value: number, unit: string): string {
  if (unit === 'ms') return formatDuration(value / 1000)
  return unit === 'm/ms' ? formatQuantity(value * 3600, 'km/h', 0) : formatQuantity(value, unit, 3)
}
