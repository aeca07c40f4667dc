import { Box, Button, Group, List, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { ask, send } from '../api/request.ts'
import type { Incident } from '../api/types.ts'
import { nameOfCar } from '../fleet/car.ts'
import { useCarDirectory } from '../fleet/use-cars.ts'
import {
  formatDate,
  formatDateTime,
  formatDuration,
  formatNumber,
  formatQuantity,
  useTexts,
} from '../language/language.ts'
import { ErrorAlert, Hint, PageLink } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import type { askedBy } from './rule-draft.ts'

/** The past is not searched while somebody is still typing. */
const TYPING_MS = 700

/** How many days `POST /rules/preview` looks back. */
const DAYS = 90

/** As many as are worth looking at before a rule is saved. */
const MOST_SHOWN = 8

/** So much of a car's measurements is shown before and after what it was on no trip for. */
const AROUND_MS = 1_800_000

type AskedRule = ReturnType<typeof askedBy>

/** What a rule would have found in the past, searched again whenever it is changed. @param asked undefined while something of it is wrong */
export function RulePreview({ asked }: { readonly asked: AskedRule | undefined }) {
  const texts = useTexts('rules')
  const client = useQueryClient()
  const wanted = asked && JSON.stringify(asked)
  const [rested] = useDebouncedValue(wanted, TYPING_MS)
  const [progress, setProgress] = useState<PreviewProgress>()
  const [stopped, setStopped] = useState<string>()
  const isStopped = wanted !== undefined && stopped === wanted
  const isShown = wanted !== undefined && wanted === rested && !isStopped
  // Another rule ends the search for the one before, as nobody looks at that any more.
  const queryKey = ['rule-preview', rested] as const
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery({
    queryKey,
    enabled: isShown,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) => {
      setProgress(undefined)
      return tryRule(JSON.parse(rested ?? '') as AskedRule, setProgress, signal)
    },
  })
  const isSearching = isShown && isFetching
  const stop = () => {
    setStopped(wanted)
    void client.cancelQueries({ queryKey })
  }
  const search = () => (isStopped ? setStopped(undefined) : void refetch())
  return (
    <Stack gap="xs" component="section" aria-label={texts.preview}>
      <Group justify="space-between">
        <Title order={3} fz="md">
          {texts.preview}
        </Title>
        {(isSearching || isStopped || (isShown && error)) && (
          <Button size="compact-sm" variant="default" onClick={isSearching ? stop : search}>
            {isSearching ? texts.stop : texts.search}
          </Button>
        )}
      </Group>
      {(!asked || isStopped) && <Hint>{asked ? texts.previewStopped : texts.previewWaits}</Hint>}
      {isSearching && (
        <>
          <Text fz="sm" role="status">
            {progress
              ? texts.previewProgress(formatNumber(progress.devicesDone), formatNumber(progress.devices))
              : texts.previewStart}
          </Text>
          <progress
            max={Math.max(1, progress?.devices ?? 1)}
            value={progress?.devicesDone ?? 0}
            aria-label={texts.previewStart}
            style={{ width: '100%' }}
          />
        </>
      )}
      {isShown && !isFetching && <ErrorAlert error={error} />}
      {isShown && data && <Found result={data} nowMs={dataUpdatedAt} />}
    </Stack>
  )
}

function Found({ result, nowMs }: { readonly result: PreviewResult; readonly nowMs: number }) {
  const texts = useTexts('rules')
  const cars = useCarDirectory()
  const { count, byDay, byVehicle, incidents } = result
  const shown = incidents.slice(0, MOST_SHOWN)
  const { data: trips } = useQuery({ ...tripsThenQuery(shown), enabled: useMay('trips') && shown.length > 0 })
  if (count === 0)
    return (
      <Text fz="sm" role="status">
        {texts.previewNone}
      </Text>
    )
  const most = Math.max(...byDay.map(day => day.count))
  return (
    <>
      <Text fw={600} role="status">
        {texts.previewCount(count, formatNumber(count), formatNumber(byVehicle.length))}
      </Text>
      <Group
        gap={1}
        h={BAR_PX}
        align="end"
        wrap="nowrap"
        role="img"
        aria-label={texts.previewDays(formatNumber(byDay.length), formatNumber(most))}
      >
        {everyDay(byDay, DAYS, nowMs).map(({ dayMs, count: ofDay }) => (
          <Box
            key={dayMs}
            flex={1}
            h={ofDay === 0 ? 1 : Math.max(3, Math.round((ofDay / most) * BAR_PX))}
            bg={ofDay === 0 ? 'var(--mantine-color-default-border)' : 'var(--mantine-primary-color-filled)'}
            title={`${formatDate(dayMs)}: ${formatNumber(ofDay)}`}
          />
        ))}
      </Group>
      <Hint>{texts.previewFirst}</Hint>
      <List fz="sm" listStyleType="none" aria-label={texts.previewFirst}>
        {shown.map((found, index) => (
          <List.Item key={`${found.vehicleId} ${found.startTimestamp} ${found.detail}`}>
            <PlaceLink {...found} tripId={trips?.[index]}>
              {[
                formatDateTime(Date.parse(found.startTimestamp)),
                nameOfCar(cars, found.vehicleId),
                found.detail,
                found.endTimestamp && formatDuration(msOf(found.endTimestamp, found.startTimestamp) / 1000),
                found.peak && formatQuantity(found.peak.value, found.peak.unit),
              ]
                .filter(Boolean)
                .join(' · ')}
            </PlaceLink>
          </List.Item>
        ))}
      </List>
      {count > MOST_SHOWN && <Hint>{texts.previewMore(formatNumber(count - MOST_SHOWN))}</Hint>}
    </>
  )
}

const DAY_MS = 86_400_000
const BAR_PX = 48

/** How many incidents began in each of the last `days` days of UTC; the last one is that of `nowMs`. */
export function everyDay(byDay: PreviewResult['byDay'], days: number, nowMs: number) {
  const counts = new Map(byDay.map(({ day, count }) => [Date.parse(day), count]))
  const firstMs = nowMs - (nowMs % DAY_MS) - (days - 1) * DAY_MS
  return Array.from({ length: days }, (_none, index) => {
    const dayMs = firstMs + index * DAY_MS
    return { dayMs, count: counts.get(dayMs) ?? 0 }
  })
}

type FoundIncident = PreviewResult['incidents'][number]

interface PlaceLinkProps extends FoundIncident {
  readonly tripId: string | undefined
  readonly children: string
}

/** Where an incident would have been: the trip at that time, else the car then. In another tab, as the rule is not saved yet. */
function PlaceLink({ vehicleId, startTimestamp, endTimestamp, tripId, children }: PlaceLinkProps) {
  const texts = useTexts('rules')
  const mayReadVehicles = useMay('vehicles')
  const tab = { target: '_blank', title: texts.otherTab, fz: 'sm' } as const
  const atMs = Date.parse(startTimestamp)
  if (tripId !== undefined)
    return (
      <PageLink to="/trips/$tripId" params={{ tripId }} search={{ at: atMs }} {...tab}>
        {children}
      </PageLink>
    )
  if (!mayReadVehicles) return children
  const toMs = (endTimestamp === null ? atMs : Date.parse(endTimestamp)) + AROUND_MS
  const search = { from: new Date(atMs - AROUND_MS).toISOString(), to: new Date(toMs).toISOString() }
  return (
    <PageLink to="/cars/$vehicleId" params={{ vehicleId }} search={search} {...tab}>
      {children}
    </PageLink>
  )
}

/** The trips on which incidents would have been, in their order; undefined where a car was on none. */
function tripsThenQuery(incidents: readonly FoundIncident[]) {
  const wanted = incidents.map(({ vehicleId, startTimestamp }) => ({ vehicleId, toTimestamp: startTimestamp }))
  return queryOptions({
    queryKey: ['trips-then', wanted],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      Promise.all(
        wanted.map(async query => {
          const { trips } = await ask('GET /cc/v2.0/trips', { query: { ...query, maxResults: 1 }, signal })
          const [last] = trips
          return last && msOf(last.tripEndTimestamp, query.toTimestamp) >= 0 ? last.id : undefined
        }),
      ),
  })
}

function msOf(endTimestamp: string, startTimestamp: string): number {
  return Date.parse(endTimestamp) - Date.parse(startTimestamp)
}

/** How far a preview is, as `POST /rules/preview` reports it. */
interface PreviewProgress {
  readonly devices: number
  readonly devicesDone: number
  /** Incidents that were found so far. */
  readonly count: number
}

/** What a rule would have found. */
interface PreviewResult extends PreviewProgress {
  /** Days of UTC, `YYYY-MM-DD`, that have any. */
  readonly byDay: readonly { readonly day: string; readonly count: number }[]
  readonly byVehicle: readonly { readonly vehicleId: string; readonly count: number }[]
  /** The first of them. */
  readonly incidents: readonly Pick<
    Incident,
    'vehicleId' | 'areaId' | 'detail' | 'startTimestamp' | 'endTimestamp' | 'peak'
  >[]
}

/**
 * Tries a rule on the past; ends it when the signal says so.
 * @returns what it would have found
 * @throws {ApiError}
 */
async function tryRule(
  rule: AskedRule,
  onProgress: (progress: PreviewProgress) => void,
  signal: AbortSignal,
): Promise<PreviewResult> {
  const response = await send('POST', '/cc/v2.0/rules/preview', { body: rule, signal })
  const frames = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  for (let read = await frames?.read(); read && !read.done; read = await frames?.read()) {
    const { event, data } = read.value
    if (event === 'progress') onProgress(JSON.parse(data) as PreviewProgress)
    if (event === 'result') return JSON.parse(data) as PreviewResult
    if (event === 'failed')
      throw new ApiError(500, (JSON.parse(data) as { readonly errorMessage: string }).errorMessage)
  }
  throw new ApiError(0, 'The service cannot be reached.')
}
