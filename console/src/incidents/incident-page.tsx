import { Alert, Box, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Suspense, useMemo } from 'react'
import type { Incident } from '../api/types.ts'
import { useAreaNames } from '../areas/areas-query.ts'
import { lazyMap } from '../base-map/lazy-map.tsx'
import { decodePolyline } from '../base-map/lon-lat.ts'
import { Fact } from '../figures/figures.tsx'
import { useAwaitsCarDirectory, useCarDirectory } from '../fleet/use-cars.ts'
import { formatDate, formatDateTime, formatDuration, formatTime, useNow, useTexts } from '../language/language.ts'
import { Hint, LoadingState, PageLink, PageTitle, Part, RequestState } from '../page/page.tsx'
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
  if (!incident || awaitsNames) return <RequestState error={incident ? null : error} refetch={refetch} />

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
        <Place line={line} />
        <Stack gap="md">
          <IncidentFacts line={line} />
          <AcknowledgedCard incident={incident} title={name} />
        </Stack>
      </SimpleGrid>
      <IncidentExplanationView incident={incident} areas={areas} />
    </Stack>
  )
}

/** The map at the place, with the trip on which it was. */
function Place({ line: { incident, address } }: { readonly line: IncidentLine }) {
  const texts = useTexts('incidents')
  const mayReadPositions = useMay('positions')
  const mayReadTrips = useMay('trips')
  const { tripId, startPosition, endPosition, severity } = incident
  const { data: trip } = useQuery({ ...tripQuery(tripId ?? ''), enabled: tripId !== null && mayReadTrips })
  const polyline = trip?.aggregations.find(({ aggregationType }) => aggregationType === 'POLYLINE')?.value
  const way = useMemo(() => (typeof polyline === 'string' ? decodePolyline(polyline) : []), [polyline])
  const places = useMemo(() => {
    const [begin, end] = [startPosition, endPosition].map(place => place && ([place.lon, place.lat] as const))
    return begin ? [begin, ...(end && String(end) !== String(begin) ? [end] : [])] : []
  }, [startPosition, endPosition])
  if (!mayReadPositions) return <Alert color="gray">{texts.noPositions}</Alert>
  if (places.length === 0) return <Alert color="gray">{texts.noPosition}</Alert>
  return (
    <Box h={{ base: 280, sm: 420 }} style={{ borderRadius: 8, overflow: 'hidden' }}>
      <Suspense fallback={<LoadingState />}>
        <IncidentMap
          label={texts.map(titleOf(incident), address || texts.noPlace)}
          places={places}
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
  // What happens at an instant, such as a hard braking, has no end of its own.
  const isMoment = endTimestamp === startTimestamp
  const end = endTimestamp !== null ? dateTime(endTimestamp) : stateOf(incident) === 'open' ? texts.open : ''
  const facts: readonly { readonly name: string; readonly text: string; readonly hint?: string }[] = [
    { name: isMoment ? texts.when : texts.begin, text: dateTime(startTimestamp), hint: place(startAddress) },
    ...(isMoment || end === ''
      ? []
      : [
          { name: texts.end, text: end, hint: place(endAddress) },
          { name: texts.duration, text: formatDuration(lengthMsOf(incident, nowMs) / 1000) },
        ]),
    {
      name: texts.peak,
      text: peakText(incident),
      hint: peak?.timestamp ? texts.peakAt(formatTime(Date.parse(peak.timestamp))) : '',
    },
    { name: texts.area, text: areaName },
    { name: texts.rule, text: ruleName },
  ]
  return (
    <Stack gap="xs">
      <SimpleGrid component="dl" m={0} cols={2} verticalSpacing="xs">
        {facts.map(
          ({ name, text, hint }) =>
            text && (
              <Fact key={name} name={name} hint={hint}>
                {text}
              </Fact>
            ),
        )}
      </SimpleGrid>
      {mayReadTrips && tripId !== null && (
        <PageLink to="/trips/$tripId" params={{ tripId }} search={{ at: Date.parse(startTimestamp) }} fz="sm">
          {texts.toTrip}
        </PageLink>
      )}
      {tripId === null && <Hint>{texts.noTrip}</Hint>}
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
  const ruleTexts = useTexts('rules')
  const kind = useRuleKinds().find(({ name }) => name === incident.kind)
  const { data, error, refetch } = useQuery(incidentExplanationQuery(incident.id))
  if (!data) return <RequestState error={error} refetch={refetch} />
  const { rule, remarks, decidedTimestamp, samples } = data
  const time = (timestamp: string) => formatDateTime(Date.parse(timestamp))
  const held =
    rule.heldToTimestamp === null
      ? texts.heldFrom(time(rule.heldFromTimestamp), rule.savedBy)
      : texts.heldFromTo(time(rule.heldFromTimestamp), time(rule.heldToTimestamp), rule.savedBy)
  const valueOf = (name: string, value: unknown, unit: string) => {
    const parameter = kind?.parameters.find(each => each.name === name)
    return parameterText(value, unit, parameter, { texts: ruleTexts, areas })
  }
  return (
    <Part title={texts.why}>
      {remarks.map(remark => (
        <Alert key={remark} color="yellow">
          {remark}
        </Alert>
      ))}
      <Text>{rule.description}</Text>
      <Hint>{`${texts.ruleVersion(rule.name, rule.version)}. ${held}`}</Hint>
      {rule.parameters.length > 0 && (
        <Text fz="sm" fw={600}>
          {texts.parameters}
        </Text>
      )}
      <SimpleGrid component="dl" m={0} cols={{ base: 1, xs: 2, lg: 4 }}>
        {rule.parameters.map(({ name, label, value, unit, isDefault, reason }) => (
          <Fact key={name} name={label} hint={isDefault ? `${texts.usual}: ${reason}` : ''}>
            {valueOf(name, value, unit)}
          </Fact>
        ))}
      </SimpleGrid>
      {data.state !== 'WITHDRAWN' && (
        <Hint>{decidedTimestamp === null ? texts.undecided : texts.decided(time(decidedTimestamp))}</Hint>
      )}
      {samples.map(sample => (
        <div key={sample.of}>
          <Text fz="sm" fw={600}>
            {`${texts.samples[sample.of]}, ${time(sample.recordedTimestamp)}`}
          </Text>
          <MeasuredThen events={sample.events} />
        </div>
      ))}
    </Part>
  )
}
