import { Alert, Box, Card, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Suspense, useMemo } from 'react'
import type { Incident, IncidentExplanation } from '../api/types.ts'
import { useAreaNames } from '../areas/areas-query.ts'
import { lazyMap } from '../base-map/lazy-map.tsx'
import { decodePolyline, type LonLat } from '../base-map/lon-lat.ts'
import { Fact } from '../figures/figures.tsx'
import { useAwaitsCarDirectory, useCarDirectory } from '../fleet/use-cars.ts'
import { formatDate, formatDateTime, formatDuration, formatTime, useNow, useTexts } from '../language/language.ts'
import { ErrorState, LoadingState, PageLink, PageTitle } from '../page/page.tsx'
import { parameterText, useRuleKinds, useRules } from '../rules/rules.tsx'
import { useMay } from '../session/use-session.ts'
import { MeasuredThen } from '../trip/explanation-view.tsx'
import { tripQuery } from '../trip/trip-queries.ts'
import { longAddress } from '../trips/short-address.ts'
import { AcknowledgedCard } from './acknowledge.tsx'
import { type IncidentLine, incidentLine, lengthMsOf, peakText, SEVERITY_COLORS, stateOf, titleOf } from './incident.ts'
import { SeverityBadge, StateBadge } from './incident-parts.tsx'
import { incidentExplanationQuery, incidentQuery } from './incidents-query.ts'

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

/** What is known of an incident. */
function IncidentFacts({ line: { incident, areaName, ruleName } }: { readonly line: IncidentLine }) {
  const texts = useTexts('incidents')
  const nowMs = useNow()
  const mayReadTrips = useMay('trips')
  const mayReadPositions = useMay('positions')
  const { startTimestamp, endTimestamp, tripId, peak, startAddress, endAddress } = incident
  // With seconds: 17:05 to 17:09 is no 5 minutes.
  const dateTime = (timestamp: string) => `${formatDate(Date.parse(timestamp))}, ${formatTime(Date.parse(timestamp))}`
  const place = (address: typeof startAddress) => (mayReadPositions && address ? longAddress(address) : '')
  const isOpen = stateOf(incident) === 'open'
  // What happens at an instant, such as a hard braking, has no end of its own.
  const isMoment = endTimestamp === startTimestamp
  return (
    <Stack gap="xs">
      <Stack component="dl" m={0} gap="xs">
        <Fact name={isMoment ? texts.when : texts.begin} hint={place(startAddress)}>
          {dateTime(startTimestamp)}
        </Fact>
        {!isMoment && (endTimestamp !== null || isOpen) && (
          <Fact name={texts.end} hint={place(endAddress)}>
            {endTimestamp === null ? texts.goesOn : dateTime(endTimestamp)}
          </Fact>
        )}
        {!isMoment && (endTimestamp !== null || isOpen) && (
          <Fact name={texts.duration}>{formatDuration(lengthMsOf(incident, nowMs) / 1000)}</Fact>
        )}
        {peak && (
          <Fact
            name={texts.peak}
            hint={peak.timestamp === null ? '' : texts.peakAt(formatTime(Date.parse(peak.timestamp)))}
          >
            {peakText(incident)}
          </Fact>
        )}
        {areaName !== '' && <Fact name={texts.area}>{areaName}</Fact>}
        {ruleName !== '' && <Fact name={texts.rule}>{ruleName}</Fact>}
      </Stack>
      {mayReadTrips && tripId !== null && (
        <PageLink to="/trips/$tripId" params={{ tripId }} search={{ at: Date.parse(startTimestamp) }} fz="sm">
          {texts.toTrip}
        </PageLink>
      )}
      {tripId === null && (
        <Text fz="sm" c="dimmed">
          {texts.noTrip}
        </Text>
      )}
    </Stack>
  )
}

interface IncidentExplanationViewProps {
  readonly incident: Incident
  /** Names by id. */
  readonly areas: ReadonlyMap<string, string>
}

/** Why it is an incident: the rule that held then, and what was measured. */
function IncidentExplanationView({ incident, areas }: IncidentExplanationViewProps) {
  const texts = useTexts('incidents')
  const { data, error, refetch } = useQuery(incidentExplanationQuery(incident.id))
  if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
  const { rule, remarks, decidedTimestamp, samples } = data
  const time = (timestamp: string) => formatDateTime(Date.parse(timestamp))
  const held =
    rule.heldToTimestamp === null
      ? texts.heldFrom(time(rule.heldFromTimestamp), rule.savedBy)
      : texts.heldFromTo(time(rule.heldFromTimestamp), time(rule.heldToTimestamp), rule.savedBy)
  return (
    <Card withBorder component="section" aria-label={texts.why}>
      <Stack gap="sm">
        <Title order={2} fz="h4">
          {texts.why}
        </Title>
        {remarks.map(remark => (
          <Alert key={remark} color="yellow">
            {remark}
          </Alert>
        ))}
        <Text>{rule.description}</Text>
        <Text fz="sm" c="dimmed">
          {`${texts.ruleVersion(rule.name, rule.version)}. ${held}`}
        </Text>
        {rule.parameters.length > 0 && <Parameters of={rule.parameters} kindName={incident.kind} areas={areas} />}
        {data.state !== 'WITHDRAWN' && (
          <Text fz="sm" c="dimmed">
            {decidedTimestamp === null ? texts.undecided : texts.decided(time(decidedTimestamp))}
          </Text>
        )}
        {samples.map(sample => (
          <div key={sample.of}>
            <Text fz="sm" fw={600}>
              {`${texts.samples[sample.of]}, ${time(sample.recordedTimestamp)}`}
            </Text>
            <MeasuredThen events={sample.events} />
          </div>
        ))}
      </Stack>
    </Card>
  )
}

interface ParametersProps {
  readonly of: IncidentExplanation['rule']['parameters']
  readonly kindName: string
  readonly areas: ReadonlyMap<string, string>
}

/** What the rule asked for, and why the default is what it is. */
function Parameters({ of: parameters, kindName, areas }: ParametersProps) {
  const texts = useTexts('incidents')
  const ruleTexts = useTexts('rules')
  const kind = useRuleKinds().find(({ name }) => name === kindName)
  return (
    <Table aria-label={texts.parameters} layout="auto">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.parameters}</Table.Th>
          <Table.Th>{texts.value}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {parameters.map(({ name, label, value, unit, isDefault, reason }) => (
          <Table.Tr key={name}>
            <Table.Td>
              {label}
              {isDefault && (
                <Text fz="xs" c="dimmed">
                  {reason}
                </Text>
              )}
            </Table.Td>
            <Table.Td style={{ verticalAlign: 'top' }}>
              {parameterText(
                value,
                unit,
                kind?.parameters.find(each => each.name === name),
                {
                  texts: ruleTexts,
                  areas,
                },
              )}
              {isDefault && (
                <Text span fz="xs" c="dimmed">
                  {` (${texts.usual})`}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
