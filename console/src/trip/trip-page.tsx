import { Button, Group, Stack, Tabs, Title } from '@mantine/core'
import { IconDownload, IconRouteOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Trip } from '../api/types.ts'
import { noteExport } from '../export/export-menu.tsx'
import { csvTime, fileNameOf, saveFile } from '../export/files.ts'
import { GPX_TYPE, gpxOf } from '../export/gpx.ts'
import { numberOfCar } from '../fleet/car.ts'
import { useCarDirectory } from '../fleet/use-cars.ts'
import { formatDateTime, useTexts } from '../language/language.ts'
import { EmptyState, ErrorState, LoadingState, PageLink, PageTitle, TabRow } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { RunningBadge } from '../trips/trip-views.tsx'
import { ExplanationView } from './explanation-view.tsx'
import { recordingOf } from './recording.ts'
import { RouteView } from './route-view.tsx'
import { TripFacts } from './trip-facts.tsx'
import { explanationQuery, tripEventsQuery, tripQuery } from './trip-queries.ts'

export function TripPage() {
  const { tripId } = useParams({ from: '/trips/$tripId' })
  const { data: trip, error, refetch } = useQuery(tripQuery(tripId))
  if (!trip) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
  if (trip.deleteTimestamp !== null) return <DeletedTrip tripId={tripId} />
  return <PresentTrip trip={trip} />
}

function PresentTrip({ trip }: { readonly trip: Trip }) {
  const texts = useTexts('trip')
  const { view = 'route', at } = useSearch({ from: '/trips/$tripId' })
  const navigate = useNavigate({ from: '/trips/$tripId' })
  const mayReadVehicles = useMay('vehicles')
  const mayReadEvents = useMay('events')
  const mayReadPositions = useMay('positions')
  const cars = useCarDirectory()
  const { id: tripId, vehicleId } = trip
  const car = cars.get(vehicleId)
  const carName = car?.name ?? numberOfCar(vehicleId)
  const isRunning = car?.tripId === tripId
  const events = useQuery({ ...tripEventsQuery(trip, isRunning), enabled: mayReadEvents, select: recordingOf })
  const { data: recording, error, refetch } = events
  const start = formatDateTime(Date.parse(trip.tripStartTimestamp))
  const saveGpx = () => {
    const gpx = gpxOf({ name: `${carName}, ${start}`, points: recording?.track ?? [] })
    saveFile(`${fileNameOf([carName, csvTime(new Date(trip.tripStartTimestamp))])}.gpx`, GPX_TYPE, [gpx])
    noteExport('route')
  }
  return (
    <Stack p="md" gap="md">
      <PageTitle name={`${texts.title(carName)}, ${start}`} />
      <Group justify="space-between" align="start" gap="sm">
        <Stack gap={4}>
          <Group gap="sm">
            <Title order={1} fz="h2">
              {texts.title(carName)}
            </Title>
            {isRunning && <RunningBadge endMs={Date.parse(trip.tripEndTimestamp)} size="md" />}
          </Group>
          <Group gap="md">
            <PageLink to="/trips" fz="sm">
              {texts.allTrips}
            </PageLink>
            {mayReadVehicles && (
              <PageLink fz="sm" to="/cars/$vehicleId" params={{ vehicleId }}>
                {texts.toCar(carName)}
              </PageLink>
            )}
          </Group>
        </Stack>
        {mayReadEvents && mayReadPositions && (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            disabled={!recording?.track.length}
            onClick={saveGpx}
          >
            {texts.exportGpx}
          </Button>
        )}
      </Group>
      <TripFacts trip={trip} isRunning={isRunning} maySeePlaces={mayReadPositions} recording={recording} />
      <Tabs
        value={view}
        onChange={chosen => {
          const changed = chosen === 'explanation' ? chosen : undefined
          void navigate({ search: before => ({ ...before, view: changed }), replace: true })
        }}
        keepMounted={false}
      >
        <TabRow chosen={view} aria-label={texts.views}>
          <Tabs.Tab value="route">{texts.route}</Tabs.Tab>
          <Tabs.Tab value="explanation">{texts.explanation}</Tabs.Tab>
        </TabRow>
        <Tabs.Panel value="route" pt="md">
          <RouteView trip={trip} isRunning={isRunning} at={at} recording={recording}>
            {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />}
          </RouteView>
        </Tabs.Panel>
        <Tabs.Panel value="explanation" pt="md">
          <ExplanationView tripId={tripId} isRunning={isRunning} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

/** Says where the time of a trip went that is none any more. */
function DeletedTrip({ tripId }: { readonly tripId: string }) {
  const texts = useTexts('trip')
  const { data: explanation, error, refetch } = useQuery(explanationQuery(tripId, false))
  if (error && !explanation) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!explanation) return <LoadingState />
  const { coveredBy } = explanation
  return (
    <EmptyState
      icon={IconRouteOff}
      title={texts.deletedTitle}
      hint={coveredBy.length > 0 ? texts.merged : texts.vanished}
    >
      {coveredBy.map(id => (
        <PageLink key={id} to="/trips/$tripId" params={{ tripId: id }}>
          {texts.toTrip(id)}
        </PageLink>
      ))}
      <PageLink to="/trips">{texts.allTrips}</PageLink>
    </EmptyState>
  )
}
