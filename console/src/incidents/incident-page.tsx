import { Alert, Box, Group, SimpleGrid, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Suspense, useMemo } from 'react'
import type { Incident } from '../api/types.ts'
import { useAreaNames } from '../areas/areas-query.ts'
import { lazyMap } from '../base-map/lazy-map.tsx'
import { decodePolyline, type LonLat } from '../base-map/lon-lat.ts'
import { useAwaitsCarDirectory, useCarDirectory } from '../fleet/use-car-directory.ts'
import { useTexts } from '../language/language.ts'
import { useRules } from '../rules/use-rules.ts'
import { useMay } from '../session/use-session.ts'
import { PageLink } from '../shell/page-link.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { tripQuery } from '../trip/trip-queries.ts'
import { AcknowledgedCard } from './acknowledged-card.tsx'
import { IncidentExplanationView } from './incident-explanation.tsx'
import { IncidentFacts } from './incident-facts.tsx'
import { type IncidentLine, incidentLine, titleOf } from './incident-line.ts'
import { stateOf } from './incident-list.ts'
import { SeverityBadge, StateBadge } from './incident-parts.tsx'
import { incidentQuery } from './incidents-query.ts'
import { SEVERITY_COLORS } from './severity.ts'

const IncidentMap = lazyMap(() => import('./incident-map.tsx').then(module => module.IncidentMap))

export function IncidentPage() {
  const { incidentId } = useParams({ from: '/incidents/$incidentId' })
  // Nothing of one incident belongs to the next one that a link leads to.
  return <OneIncident key={incidentId} incidentId={incidentId} />
}

function OneIncident({ incidentId }: { readonly incidentId: string }) {
  const texts = useTexts('incidents')
  const cars = useCarDirectory()
  const rules = useRules()
  const areas = useAreaNames()
  const mayReadVehicles = useMay('vehicles')
  const awaitsNames = useAwaitsCarDirectory()
  const { data: incident, error, refetch } = useQuery(incidentQuery(incidentId))
  if (error && !incident) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!incident || awaitsNames) return <LoadingState />

  const line = incidentLine(incident, { cars, rules, areas }, '')
  const name = texts.pageTitle(titleOf(incident), line.carName)
  const { vehicleId } = incident
  return (
    <Stack p="md" gap="md">
      <PageTitle name={name} />
      <Stack gap={4}>
        <Group gap="sm">
          <Title order={1} fz="h2">
            {name}
          </Title>
          <SeverityBadge severity={incident.severity} />
          <StateBadge incident={incident} />
        </Group>
        <Group gap="md">
          <PageLink to="/incidents" fz="sm">
            {texts.allIncidents}
          </PageLink>
          {mayReadVehicles && (
            <PageLink fz="sm" to="/cars/$vehicleId" params={{ vehicleId }}>
              {texts.toCar(line.carName)}
            </PageLink>
          )}
        </Group>
      </Stack>
      {stateOf(incident) === 'withdrawn' && <Alert color="gray">{texts.withdrawnMeaning}</Alert>}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <div>
          <Place incident={incident} line={line} />
        </div>
        <div>
          <Stack gap="md">
            <IncidentFacts line={line} />
            <AcknowledgedCard incident={incident} title={name} />
          </Stack>
        </div>
      </SimpleGrid>
      <IncidentExplanationView incident={incident} areas={areas} />
    </Stack>
  )
}

/** The map at the place, with the trip on which it was. */
function Place({ incident, line }: { readonly incident: Incident; readonly line: IncidentLine }) {
  const texts = useTexts('incidents')
  const mayReadPositions = useMay('positions')
  const mayReadTrips = useMay('trips')
  const { tripId, startPosition, endPosition, severity } = incident
  const { data: trip } = useQuery({ ...tripQuery(tripId ?? ''), enabled: tripId !== null && mayReadTrips })
  const polyline = trip?.aggregations.find(({ aggregationType }) => aggregationType === 'POLYLINE')?.value
  const way = useMemo(() => (typeof polyline === 'string' ? decodePolyline(polyline) : []), [polyline])
  if (!mayReadPositions) return <Alert color="gray">{texts.noPositions}</Alert>
  if (!startPosition) return <Alert color="gray">{texts.noPosition}</Alert>
  const begin: LonLat = [startPosition.lon, startPosition.lat]
  const isElsewhere = endPosition && (endPosition.lon !== startPosition.lon || endPosition.lat !== startPosition.lat)
  return (
    <Box h={{ base: 280, sm: 420 }} style={{ borderRadius: 8, overflow: 'hidden' }}>
      <Suspense fallback={<LoadingState />}>
        <IncidentMap
          label={texts.map(titleOf(incident), line.address || texts.noPlace)}
          begin={begin}
          end={isElsewhere ? [endPosition.lon, endPosition.lat] : undefined}
          color={SEVERITY_COLORS[severity]}
          way={way}
        />
      </Suspense>
    </Box>
  )
}
