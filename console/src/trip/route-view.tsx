import { Alert, Box, SimpleGrid, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useMemo } from 'react'
import type { Incident, Trip } from '../api/types.ts'
import { lazyMap } from '../base-map/lazy-map.tsx'
import { decodePolyline } from '../base-map/lon-lat.ts'
import { LineChart, type TimeBand } from '../chart/line-chart.tsx'
import { SEVERITY_COLORS } from '../incidents/incident.ts'
import { formatDistance, formatQuantity, useTexts } from '../language/language.ts'
import { eventTypeName } from '../measurements/measurement.ts'
import { Hint, LoadingState, useUnlessLeft } from '../page/page.tsx'
import { carAt } from '../route-map/track.ts'
import { useMay } from '../session/use-session.ts'
import { longAddress } from '../trips/short-address.ts'
import {
  codeOccurrences,
  mostKmhOf,
  type Occurrence,
  type Recording,
  recordingOf,
  stopOccurrences,
  stopsOf,
  withIncidents,
} from './recording.ts'
import { type ReplayClock, useReplayClock, useReplayKeys, useResting } from './replay-clock.ts'
import { OccurrenceList, ReplayControls } from './replay-controls.tsx'
import { tripCodesQuery, tripIncidentsQuery } from './trip-queries.ts'

const RouteMap = lazyMap(() => import('../route-map/route-map.tsx').then(module => module.RouteMap))
const SpeedLegend = lazy(() =>
  import('../route-map/speed-legend.tsx').then(module => ({ default: module.SpeedLegend })),
)

const NOTHING: Recording = recordingOf([])
/** Neither in the light nor in the dark it hides the line. */
const STOP_COLOR = '#868e96'

const NONE: readonly never[] = []

function bandOf({ startTimestamp, endTimestamp, severity }: Incident): TimeBand {
  const endMs = endTimestamp === null ? Number.POSITIVE_INFINITY : Date.parse(endTimestamp)
  return { fromMs: Date.parse(startTimestamp), toMs: endMs, color: SEVERITY_COLORS[severity] }
}

interface RouteViewProps {
  readonly trip: Trip
  readonly isRunning: boolean
  /** The instant at which it is looked at first; undefined for the usual one. */
  readonly at: number | undefined
  /** Undefined until it is there, and without the permission for measurements. */
  readonly recording: Recording | undefined
  /** Stands for the recording while it is not there. */
  readonly children: ReactNode
}

/** The route on the map and the trip as it was driven; what the person may not see is left out. */
export function RouteView({ trip, isRunning, at, recording: known, children }: RouteViewProps) {
  const texts = useTexts('trip')
  const mayReadEvents = useMay('events')
  const mayReadPositions = useMay('positions')
  const recording = known ?? NOTHING
  const { track } = recording
  const incidents = useQuery({ ...tripIncidentsQuery(trip), enabled: useMay('incidents') }).data ?? NONE
  const dtcs = useQuery({ ...tripCodesQuery(trip), enabled: useMay('dtcs') }).data ?? NONE
  const beginMs = Date.parse(trip.tripStartTimestamp)
  const endMs = Date.parse(trip.tripEndTimestamp)
  const stops = useMemo(() => stopsOf(recording.standing, beginMs, endMs), [recording, beginMs, endMs])
  const occurrences = useMemo(
    () => withIncidents([...recording.occurrences, ...stopOccurrences(stops), ...codeOccurrences(dtcs)], incidents),
    [recording, stops, incidents, dtcs],
  )
  const bands = useMemo(
    () => [...stops.map(stop => ({ ...stop, color: STOP_COLOR, isSoft: true })), ...incidents.map(bandOf)],
    [stops, incidents],
  )
  const clock = useReplayClock({ beginMs, endMs, isRunning, wantedMs: at })
  useReplayKeys(clock)
  const replay = { clock, beginMs, endMs, recording }
  const navigate = useNavigate({ from: '/trips/$tripId' })
  const unlessLeft = useUnlessLeft()
  useResting(clock, timeMs => {
    if (isRunning || timeMs === (at ?? beginMs)) return
    unlessLeft(() => {
      void navigate({ search: before => ({ ...before, at: Math.round(timeMs) }), replace: true, resetScroll: false })
    })
  })

  const polyline = trip.aggregations.find(({ aggregationType }) => aggregationType === 'POLYLINE')?.value
  const way = useMemo(() => (typeof polyline === 'string' ? decodePolyline(polyline) : []), [polyline])
  const marks = useMemo(
    () =>
      occurrences.flatMap(occurrence => {
        const { timeMs, severity } = occurrence
        const place = carAt(track, timeMs) ?? ownPlaceOf(occurrence)
        return place ? [{ ...place, timeMs, color: SEVERITY_COLORS[severity] }] : []
      }),
    [occurrences, track],
  )
  const car = useMemo(
    () => (track.length > 0 ? { place: () => carAt(track, clock.timeMs()), subscribe: clock.subscribe } : undefined),
    [track, clock],
  )

  const hasList = mayReadEvents || occurrences.length > 0
  const placeName = (address: Trip['tripStartAddress']) => (address && longAddress(address)) || texts.noPlace
  const label = texts.map(
    formatDistance(trip.distance),
    placeName(trip.tripStartAddress),
    placeName(trip.tripEndAddress),
  )
  return (
    <SimpleGrid cols={{ base: 1, md: hasList ? 2 : 1 }} spacing="md">
      <Stack gap="sm">
        {!mayReadPositions && <Alert color="gray">{texts.noPositions}</Alert>}
        {mayReadPositions && way.length === 0 && <Alert color="gray">{texts.noRoute}</Alert>}
        {way.length > 0 && (
          <Box h={{ base: 300, sm: 420, md: 520 }} style={{ borderRadius: 8, overflow: 'hidden' }}>
            <Suspense fallback={<LoadingState />}>
              <RouteMap
                label={label}
                way={way}
                track={track}
                marks={marks}
                hasEnded={!isRunning}
                car={car}
                onMark={clock.seek}
              />
            </Suspense>
          </Box>
        )}
        {track.length > 0 && (
          <Suspense>
            <SpeedLegend />
          </Suspense>
        )}
      </Stack>
      <Stack gap="sm" miw={0}>
        {!mayReadEvents && <Alert color="gray">{texts.noEvents}</Alert>}
        {known && (
          <>
            <ReplayControls {...replay} occurrences={occurrences} />
            <TripCharts {...replay} bands={bands} />
          </>
        )}
        {hasList && (known || !mayReadEvents) && <OccurrenceList occurrences={occurrences} onPick={clock.seek} />}
        {mayReadEvents && !known && children}
      </Stack>
    </SimpleGrid>
  )
}

/** Where an incident began, where there is no track of positions. */
function ownPlaceOf(occurrence: Occurrence): { readonly longitude: number; readonly latitude: number } | undefined {
  const place = occurrence.kind === 'incident' ? occurrence.incident.startPosition : null
  return place ? { longitude: place.lon, latitude: place.lat } : undefined
}

/** Longer without a reading is a gap: moving cars report several times a minute. */
const SPEED_GAP_MS = 90_000

/** Levels change slowly, and are read seldom. */
const ENERGY_GAP_MS = 30 * 60_000

interface TripChartsProps {
  readonly recording: Recording
  readonly beginMs: number
  readonly endMs: number
  readonly clock: ReplayClock
  /** When something was going on. */
  readonly bands: readonly TimeBand[]
}

/** Speed, and fuel or charge, over the trip, with the instant of the replay; a click goes there. */
function TripCharts({ recording: { speed, energy }, beginMs, endMs, clock, bands }: TripChartsProps) {
  const texts = useTexts('trip')
  const charts = useMemo(() => {
    const drawn = [
      {
        line: { name: texts.speed, unit: 'km/h', gapMs: SPEED_GAP_MS, ...speed },
        label: texts.speedChart(formatQuantity(mostKmhOf(speed), 'km/h', 0)),
        heightPx: 170,
      },
    ]
    if (energy) {
      const name = eventTypeName(energy.eventType)
      const level = (value = 0) => formatQuantity(value, energy.unit)
      const label = texts.energyChart(name, level(energy.values[0]), level(energy.values.at(-1)))
      drawn.push({ line: { name, gapMs: ENERGY_GAP_MS, ...energy }, label, heightPx: 100 })
    }
    return drawn.map(({ line, ...chart }) => ({ ...chart, series: [line], name: line.name }))
  }, [speed, energy, texts])
  return charts
    .filter(({ series: [line] }) => line && line.timesMs.length >= 2)
    .map(({ name, ...chart }) => (
      <div key={name}>
        <Hint fz="xs">{name}</Hint>
        <LineChart {...chart} fromMs={beginMs} toMs={endMs} bands={bands} instant={clock} onPick={clock.seek} />
      </div>
    ))
}
