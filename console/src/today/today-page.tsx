import { Badge, Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconEyeOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { operationQuery } from '../administration/operation/operation-query.ts'
import type { Incident } from '../api/types.ts'
import { Figure, Figures } from '../figures/figures.tsx'
import { inOrder, nameOfCar } from '../fleet/car.ts'
import { isMoving } from '../fleet/car-state.ts'
import { movementDetail, reasonText } from '../fleet/state-words.ts'
import { useCarDirectory } from '../fleet/use-car-directory.ts'
import { useCars } from '../fleet/use-cars.ts'
import { useNow } from '../fleet/use-now.ts'
import { useAcknowledge } from '../incidents/acknowledge.tsx'
import { SEVERITY_COLORS, titleOf } from '../incidents/incident.ts'
import {
  formatAge,
  formatChange,
  formatDateTime,
  formatDay,
  formatDistance,
  formatDuration,
  formatNumber,
} from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { PageLink } from '../shell/page-link.tsx'
import { showToast } from '../shell/toast.tsx'
import { EmptyState } from '../states/empty-state.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { binStartsMs, startOfBinMs } from '../statistics/bins.ts'
import { binsQuery } from '../statistics/statistics-queries.ts'
import { summaryOfBins } from '../statistics/summaries.ts'
import { carNeeds, type NeedyCar, refusedNow, unseenQuery, usualPeriod, yesterdayAndUsual } from './today.ts'

const LOOK_AT_CLOCK_MS = 60_000
const ASK_ABOUT_REFUSED_MS = 60_000

/** So many lines of a list are shown; the others are counted, and a link leads to them. */
const MOST_LINES = 5

/** The page to begin with: what needs somebody, what is on the road, and yesterday against the usual. */
export function TodayPage() {
  const texts = useTexts('today')
  const language = useLanguage()
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const maySeeStatistics = useMay('aggregations')
  const maySeeCars = useMay('vehicles')
  return (
    <Stack p="md" gap="md" maw={1320}>
      <Group gap="sm" align="baseline">
        <Title order={1} fz="h2">
          {texts.title}
        </Title>
        <Text c="dimmed">{formatDay(nowMs, language)}</Text>
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Needs nowMs={nowMs} />
        <Stack>
          {maySeeCars && <OnTheRoad />}
          {maySeeStatistics && <Yesterday nowMs={nowMs} />}
        </Stack>
      </SimpleGrid>
    </Stack>
  )
}

/** Everything that somebody should do something about; a list that is empty is not shown. */
function Needs({ nowMs }: { readonly nowMs: number }) {
  const texts = useTexts('today')
  const { reasons } = useTexts('operation')
  const language = useLanguage()
  const [maySeeCars, maySeeIncidents, mayAdminister] = [
    useMay('vehicles'),
    useMay('incidents'),
    useMay('administration'),
  ]
  const { cars, error: carsError, refetch: refetchCars } = useCars()
  const incidents = useQuery({ ...unseenQuery(language), enabled: maySeeIncidents })
  const operation = useQuery({
    ...operationQuery,
    enabled: mayAdminister,
    refetchInterval: ASK_ABOUT_REFUSED_MS,
    select: data => refusedNow(data, nowMs),
  })
  const needs = useMemo(() => carNeeds(cars ?? []), [cars])
  const unseen = incidents.data?.bySeverity.filter(({ count }) => count > 0) ?? []
  const services = incidents.data?.services ?? []
  const refused = operation.data ?? []
  const lists = [needs.faults, needs.batteries, needs.silent, unseen, services, refused]
  const isAwaited =
    (maySeeCars && !cars && !carsError) ||
    (maySeeIncidents && incidents.isPending) ||
    (mayAdminister && operation.isPending)
  const failed = [
    { error: cars || !maySeeCars ? null : carsError, refetch: refetchCars },
    { error: incidents.data ? null : incidents.error, refetch: incidents.refetch },
  ].find(({ error }) => error !== null)
  if (!maySeeCars && !maySeeIncidents && !mayAdminister)
    return <EmptyState icon={IconEyeOff} title={texts.nothingVisible} hint={texts.nothingVisibleHint} />
  if (lists.every(list => list.length === 0)) {
    if (failed?.error) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
    if (isAwaited) return <LoadingState />
    return (
      <Card withBorder>
        <EmptyState icon={IconCircleCheck} title={texts.nothing} hint={texts.nothingHint} />
      </Card>
    )
  }
  return (
    <Stack>
      {unseen.length > 0 && (
        <IncidentsCard
          title={texts.incidents}
          count={unseen.reduce((sum, { count }) => sum + count, 0)}
          incidents={unseen.flatMap(({ newest }) => newest)}
        >
          {unseen.length > 1 &&
            unseen.map(({ severity, count }) => (
              <PageLink
                key={severity}
                to="/incidents"
                search={{ state: 'unseen', severity, range: 'year' }}
                fz="sm"
              >{`${texts.severities[severity]} ${formatNumber(count, language)}`}</PageLink>
            ))}
        </IncidentsCard>
      )}
      <CarsCard
        title={texts.faults}
        cars={needs.faults}
        nowMs={nowMs}
        all={
          <PageLink fz="sm" to="/faults">
            {texts.showAll}
          </PageLink>
        }
      />
      <CarsCard
        title={texts.batteries}
        cars={needs.batteries}
        nowMs={nowMs}
        all={
          <PageLink fz="sm" to="/map" search={{ attention: true }}>
            {texts.showAll}
          </PageLink>
        }
      />
      {services.length > 0 && <IncidentsCard title={texts.services} count={services.length} incidents={services} />}
      <CarsCard
        title={texts.silent}
        cars={needs.silent}
        nowMs={nowMs}
        all={
          <PageLink fz="sm" to="/map" search={{ movement: 'silent' }}>
            {texts.showAll}
          </PageLink>
        }
      />
      {refused.length > 0 && (
        <ListCard
          title={texts.refused}
          count={refused.length}
          all={
            <PageLink fz="sm" to="/administration" search={{ tab: 'operation' }}>
              {texts.showAll}
            </PageLink>
          }
          lines={refused.slice(0, MOST_LINES).map(({ gateway, deviceId, sender, reason, lastTimestamp }) => (
            <Line
              key={[gateway, deviceId, sender, reason].join()}
              name={
                <PageLink fz="sm" to="/administration" search={{ tab: 'operation' }}>
                  {deviceId ?? sender}
                </PageLink>
              }
              detail={[reasons[reason], formatAge(Date.parse(lastTimestamp), nowMs, language)]}
            />
          ))}
        />
      )}
      {isAwaited && <LoadingState />}
    </Stack>
  )
}

interface CarsCardProps {
  readonly title: string
  readonly cars: readonly NeedyCar[]
  readonly nowMs: number
  readonly all: ReactNode
}

/** Cars with why they are named; nothing without any. */
function CarsCard({ title, cars, nowMs, all }: CarsCardProps) {
  const language = useLanguage()
  if (cars.length === 0) return null
  return (
    <ListCard
      title={title}
      count={cars.length}
      all={all}
      lines={cars.slice(0, MOST_LINES).map(({ car: { id, name, state }, reasons }) => (
        <Line
          key={id}
          name={
            <PageLink fz="sm" to="/cars/$vehicleId" params={{ vehicleId: id }}>
              {name}
            </PageLink>
          }
          detail={
            reasons.length > 0
              ? reasons.map(reason => reasonText(reason, language))
              : [movementDetail(state.movement, nowMs, language)]
          }
        />
      ))}
    />
  )
}

interface IncidentsCardProps {
  readonly title: string
  readonly count: number
  /** The ones to show first. */
  readonly incidents: readonly Incident[]
  readonly children?: ReactNode
}

/** Incidents that are acknowledged in place. */
function IncidentsCard({ title, count, incidents, children }: IncidentsCardProps) {
  const texts = useTexts('today')
  return (
    <ListCard
      title={title}
      count={count}
      all={
        <PageLink fz="sm" to="/incidents" search={{ state: 'unseen', range: 'year' }}>
          {texts.showAll}
        </PageLink>
      }
      beside={children}
      lines={incidents.slice(0, MOST_LINES).map(incident => <IncidentLine key={incident.id} incident={incident} />)}
    />
  )
}

function IncidentLine({ incident }: { readonly incident: Incident }) {
  const texts = useTexts('incidents')
  const { acknowledged } = useTexts('today')
  const language = useLanguage()
  const carName = nameOfCar(useCarDirectory(), incident.vehicleId)
  const title = titleOf(incident)
  const acknowledge = useAcknowledge(incident.id)
  const settle = () =>
    acknowledge.mutate('', {
      onSuccess: () =>
        showToast({
          message: acknowledged(title, carName),
          action: { label: texts.takeBack, onAction: () => acknowledge.mutate(undefined) },
        }),
      onError: error => showToast({ message: error.message }),
    })
  return (
    <Line
      color={SEVERITY_COLORS[incident.severity]}
      name={
        <PageLink fz="sm" to="/incidents/$incidentId" params={{ incidentId: incident.id }}>
          {title}
        </PageLink>
      }
      detail={[carName, formatDateTime(Date.parse(incident.startTimestamp), language)]}
    >
      <Button
        size="compact-sm"
        variant="light"
        loading={acknowledge.isPending}
        aria-label={texts.acknowledgeOf(title, carName)}
        onClick={settle}
      >
        {texts.acknowledgeRow}
      </Button>
    </Line>
  )
}

/** What drives now; the map shows where. */
function OnTheRoad() {
  const texts = useTexts('today')
  const states = useTexts('carState')
  const language = useLanguage()
  const nowMs = useNow()
  const { cars, error, refetch } = useCars()
  const moving = useMemo(
    () =>
      inOrder(
        (cars ?? []).filter(({ state }) => isMoving(state.movement)),
        'name',
      ),
    [cars],
  )
  return (
    <ListCard
      title={texts.onTheRoad}
      count={cars && moving.length}
      all={
        <PageLink fz="sm" to="/map" search={moving.length > 0 ? { movement: 'driving' } : {}}>
          {texts.toMap}
        </PageLink>
      }
      lines={moving.slice(0, MOST_LINES).map(({ id, name, state: { movement } }) => (
        <Line
          key={id}
          name={
            <PageLink fz="sm" to="/map" search={{ car: id }}>
              {name}
            </PageLink>
          }
          detail={[states.movements[movement.kind], movementDetail(movement, nowMs, language)]}
        />
      ))}
    >
      {!cars && (error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />)}
      {cars && moving.length === 0 && <Text fz="sm">{texts.nobodyOnTheRoad}</Text>}
    </ListCard>
  )
}

/** What the fleet drove yesterday, and whether that is much. */
function Yesterday({ nowMs }: { readonly nowMs: number }) {
  const texts = useTexts('today')
  const { figures } = useTexts('statistics')
  const language = useLanguage()
  const dayMs = startOfBinMs(nowMs, 'DAY')
  const period = useMemo(() => usualPeriod(dayMs), [dayMs])
  const { data: rows, error, refetch } = useQuery(binsQuery(period, undefined))
  const figuresOf = useMemo(() => {
    const { fromMs, toMs, size } = period
    return rows && yesterdayAndUsual(summaryOfBins(rows, binStartsMs(fromMs, toMs, size)))
  }, [rows, period])
  const against = (value: number, usual: number | undefined, format: (value: number) => string) => {
    if (usual === undefined) return undefined
    return texts.usual(format(usual), usual > 0 ? formatChange(value / usual - 1, language) : '')
  }
  const km = (value: number) => formatDistance(value, language)
  const yesterdayMs = startOfBinMs(nowMs, 'DAY', -1)
  return (
    <ListCard
      title={texts.yesterday(formatDay(yesterdayMs, language))}
      all={
        <PageLink fz="sm" to="/statistics">
          {texts.toStatistics}
        </PageLink>
      }
    >
      {!figuresOf && (error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />)}
      {figuresOf && (
        <Figures>
          <Figure
            label={figures.distance}
            hint={against(figuresOf.yesterday.distance.sum, figuresOf.usual?.distanceKm, km)}
          >
            {km(figuresOf.yesterday.distance.sum)}
          </Figure>
          <Figure
            label={figures.trips}
            hint={against(figuresOf.yesterday.trips, figuresOf.usual?.trips, value => formatNumber(value, language))}
          >
            {formatNumber(figuresOf.yesterday.trips, language)}
          </Figure>
          <Figure
            label={figures.duration}
            hint={against(figuresOf.yesterday.duration.sum, figuresOf.usual?.durationS, formatDuration)}
          >
            {formatDuration(figuresOf.yesterday.duration.sum)}
          </Figure>
        </Figures>
      )}
    </ListCard>
  )
}

interface ListCardProps {
  readonly title: string
  readonly count?: number | undefined
  /** The link to all of it. */
  readonly all: ReactNode
  /** Between the title and that link. */
  readonly beside?: ReactNode
  readonly lines?: readonly ReactNode[]
  readonly children?: ReactNode
}

function ListCard({ title, count, all, beside, lines = [], children }: ListCardProps) {
  const language = useLanguage()
  return (
    <Card withBorder component="section" aria-label={title}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Group gap="xs">
          <Title order={2} fz="h4">
            {title}
          </Title>
          {count !== undefined && (
            <Badge variant="light" color="gray" c="var(--mantine-color-text)">
              {formatNumber(count, language)}
            </Badge>
          )}
          {beside}
        </Group>
        {all}
      </Group>
      {lines.length > 0 && (
        <Stack component="ul" gap={8} m={0} p={0} style={{ listStyle: 'none' }}>
          {lines}
        </Stack>
      )}
      {children}
    </Card>
  )
}

interface LineProps {
  readonly name: ReactNode
  readonly detail: readonly string[]
  /** Of the mark in front; none without. */
  readonly color?: string
  readonly children?: ReactNode
}

function Line({ name, detail, color, children }: LineProps) {
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="xs">
      <Group
        gap="xs"
        align="baseline"
        style={{ rowGap: 0, ...(color && { borderLeft: `4px solid ${color}`, paddingLeft: 8 }) }}
      >
        <Text span fz="sm" fw={600}>
          {name}
        </Text>
        <Text span fz="sm" c="dimmed">
          {detail.filter(Boolean).join(' · ')}
        </Text>
      </Group>
      {children}
    </Group>
  )
}
