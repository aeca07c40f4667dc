import { Card, Flex, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type LinkOptions, linkOptions } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../api/api-error.ts'
import { askPage } from '../api/request.ts'
import type { RefusedSender } from '../api/schema.ts'
import { operationQuery } from '../api/service-settings.ts'
import type { Incident, Permission } from '../api/types.ts'
import { Figure, Figures } from '../figures/figures.tsx'
import { inOrder, nameOfCar } from '../fleet/car.ts'
import { isMoving } from '../fleet/car-state.ts'
import { movementDetail, reasonText } from '../fleet/state-marks.tsx'
import { useCarDirectory, useCars } from '../fleet/use-cars.ts'
import { AcknowledgeButton, useAcknowledge } from '../incidents/acknowledge.tsx'
import { SEVERITIES, SEVERITY_COLORS, titleOf } from '../incidents/incident.ts'
import {
  formatAge,
  formatChange,
  formatDateTime,
  formatDay,
  formatDistance,
  formatDuration,
  formatNumber,
  useNow,
  useTexts,
} from '../language/language.ts'
import { EmptyState, ErrorState, Hint, LoadingState, PageLink, Part, RequestState } from '../page/page.tsx'
import { sessionQuery, useMay } from '../session/use-session.ts'
import { showToast } from '../shell/toast.tsx'
import { startOfBinMs } from '../statistics/bins.ts'
import { useBins } from '../statistics/statistics-queries.ts'
import { carNeeds, type NeedyCar, refusedNow, usualPeriod, yesterdayAndUsual } from './today.ts'

const LOOK_AT_CLOCK_MS = 60_000

/** So many lines of a list are shown; a link leads to the others. */
const MOST_LINES = 5

/** What somebody may see of it. */
const SHOWN: readonly Permission[] = ['vehicles', 'incidents', 'aggregations', 'administration']

/** The page to begin with: what needs somebody, what is on the road, and yesterday against the usual. */
export function TodayPage() {
  const texts = useTexts('today')
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const { data: session, error, refetch } = useQuery(sessionQuery)
  if (!session) return <RequestState error={error} refetch={refetch} />
  const may = (permission: Permission) => session.permissions.includes(permission)
  if (!SHOWN.some(may)) return <ErrorState error={new ApiError(403, '')} />
  return (
    <Stack p="md" gap="md" maw={1320}>
      <Group gap="sm" align="baseline">
        <Title order={1} fz="h2">
          {texts.title}
        </Title>
        <Text c="dimmed">{formatDay(nowMs)}</Text>
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Needs nowMs={nowMs} />
        <Stack>
          {may('vehicles') && <OnTheRoad />}
          {may('aggregations') && <Yesterday nowMs={nowMs} />}
        </Stack>
      </SimpleGrid>
    </Stack>
  )
}

/** The kinds of rules that say when a car is to be serviced (`GET /rule-kinds`). */
const SERVICE_KINDS = ['SERVICE_DUE', 'SERVICE_DUE_KM', 'SERVICE_DUE_HOURS', 'SERVICE_DUE_DATE']

/** So many incidents of each severity are read; more are counted. */
const NEWEST = 20
const MOST_SERVICES = 500

/**
 * What nobody has acknowledged yet, those that matter most first, then the newest. When service is due is told apart. Texts are
 * of one language. Refetched with the lists of incidents, and when one is acknowledged.
 */
function unseenQuery() {
  return queryOptions({
    queryKey: ['incidents', 'unseen', 'today'],
    queryFn: async ({ signal }) => {
      const ask = async (filter: { readonly severity?: string; readonly kind?: string }, maxResults: number) => {
        const query = { ...filter, isAcknowledged: false, count: true, maxResults }
        const { reply, total } = await askPage('GET /cc/v2.0/incidents', { query, signal })
        return { newest: reply.incidents.toReversed(), count: total ?? reply.incidents.length }
      }
      const [{ newest: services }, ...bySeverity] = await Promise.all([
        ask({ kind: SERVICE_KINDS.join() }, MOST_SERVICES),
        ...SEVERITIES.map(async severity => ({ severity, ...(await ask({ severity }, NEWEST)) })),
      ])
      const counts = bySeverity.map(({ severity, count }) => {
        return { severity, count: count - services.filter(each => each.severity === severity).length }
      })
      return {
        unseen: bySeverity.flatMap(({ newest }) => newest.filter(({ kind }) => !SERVICE_KINDS.includes(kind))),
        counts: counts.filter(({ count }) => count > 0),
        services,
      }
    },
  })
}

const OPERATION = linkOptions({ to: '/administration', search: { tab: 'operation' } })
const UNSEEN = linkOptions({ to: '/incidents', search: { state: 'unseen', range: 'year' } })

/** Everything that somebody should do something about; a list that is empty is not shown. */
function Needs({ nowMs }: { readonly nowMs: number }) {
  const texts = useTexts('today')
  const { reasons: refusals } = useTexts('operation')
  const maySeeCars = useMay('vehicles')
  const maySeeIncidents = useMay('incidents')
  const mayAdminister = useMay('administration')
  const { cars, ...carsAsked } = useCars()
  const incidents = useQuery({ ...unseenQuery(), enabled: maySeeIncidents })
  const operation = useQuery({ ...operationQuery, enabled: mayAdminister, refetchInterval: LOOK_AT_CLOCK_MS })
  if (!maySeeCars && !maySeeIncidents && !mayAdminister) return null
  const { faults, batteries, silent } = carNeeds(cars ?? [])
  const { unseen = [], counts = [], services = [] } = incidents.data ?? {}
  const refused = operation.data ? refusedNow(operation.data, nowMs) : []
  const asked = [
    ...(maySeeCars ? [{ ...carsAsked, data: cars }] : []),
    ...(maySeeIncidents ? [incidents] : []),
    ...(mayAdminister ? [operation] : []),
  ].filter(({ data }) => !data)
  const failed = asked.find(({ error }) => error)
  const carLine = ({ car: { id, name, state }, reasons }: NeedyCar) => (
    <Line
      key={id}
      name={name}
      link={linkOptions({ to: '/cars/$vehicleId', params: { vehicleId: id } })}
      detail={[...reasons.map(each => reasonText(each)), movementDetail(state.movement, nowMs)]}
    />
  )
  const incidentLine = (incident: Incident) => <IncidentLine key={incident.id} incident={incident} />
  const refusedLine = ({ gateway, deviceId, sender, reason, lastTimestamp }: RefusedSender) => (
    <Line
      key={[gateway, deviceId, sender, reason].join()}
      name={String(deviceId ?? sender)}
      link={OPERATION}
      detail={[refusals[reason], formatAge(Date.parse(lastTimestamp), nowMs)]}
    />
  )
  const count = counts.reduce((sum, each) => sum + each.count, 0)
  const bySeverity = counts.map(({ severity, count: many }) => (
    <PageLink key={severity} to="/incidents" search={{ state: 'unseen', severity, range: 'year' }} fz="sm">
      {texts.severities[severity](formatNumber(many))}
    </PageLink>
  ))
  const lists: readonly ListCardProps[] = [
    {
      title: texts.incidents,
      all: UNSEEN,
      lines: unseen.map(incidentLine),
      count,
      children: counts.length > 1 && bySeverity,
    },
    { title: texts.faults, all: linkOptions({ to: '/faults' }), lines: faults.map(carLine) },
    {
      title: texts.batteries,
      all: linkOptions({ to: '/map', search: { attention: true } }),
      lines: batteries.map(carLine),
    },
    { title: texts.services, all: UNSEEN, lines: services.map(incidentLine) },
    {
      title: texts.silent,
      all: linkOptions({ to: '/map', search: { movement: 'silent' } }),
      lines: silent.map(carLine),
    },
    { title: texts.refused, all: OPERATION, lines: refused.map(refusedLine) },
  ].filter(({ lines, count: many = lines.length }) => many > 0)
  return (
    <Stack>
      {failed?.error && <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />}
      {asked.some(({ error }) => !error) && <LoadingState />}
      {asked.length === 0 && lists.length === 0 && (
        <Card withBorder>
          <EmptyState icon={IconCircleCheck} title={texts.nothing} hint={texts.nothingHint} />
        </Card>
      )}
      {lists.map(list => (
        <ListCard key={list.title} {...list} />
      ))}
    </Stack>
  )
}

function IncidentLine({ incident }: { readonly incident: Incident }) {
  const carName = nameOfCar(useCarDirectory(), incident.vehicleId)
  const title = titleOf(incident)
  const { mutate, isPending } = useAcknowledge()
  const settle = () =>
    mutate({ incidents: [incident], note: '' }, { onError: error => showToast({ message: error.message }) })
  return (
    <Line
      color={SEVERITY_COLORS[incident.severity]}
      name={title}
      link={linkOptions({ to: '/incidents/$incidentId', params: { incidentId: incident.id } })}
      detail={[carName, formatDateTime(Date.parse(incident.startTimestamp))]}
    >
      <AcknowledgeButton {...{ title, carName }} loading={isPending} onClick={settle} />
    </Line>
  )
}

/** What drives now; the map shows where. */
function OnTheRoad() {
  const texts = useTexts('today')
  const states = useTexts('carState')
  const nowMs = useNow()
  const { cars, ...asked } = useCars()
  const moving = inOrder(cars?.filter(({ state }) => isMoving(state.movement)) ?? [], 'name')
  return (
    <ListCard
      title={texts.onTheRoad}
      all={linkOptions({ to: '/map' })}
      allText={texts.toMap}
      lines={moving
        .slice(0, MOST_LINES)
        .map(({ id, name, state: { movement } }) => (
          <Line
            key={id}
            name={name}
            link={linkOptions({ to: '/map', search: { car: id } })}
            detail={[states.movements[movement.kind], movementDetail(movement, nowMs)]}
          />
        ))}
    >
      {!cars ? <RequestState {...asked} /> : moving.length === 0 && <Text fz="sm">{texts.nobodyOnTheRoad}</Text>}
    </ListCard>
  )
}

/** What the fleet drove yesterday, and whether that is much. */
function Yesterday({ nowMs }: { readonly nowMs: number }) {
  const texts = useTexts('today')
  const { figures } = useTexts('statistics')
  const period = usualPeriod(startOfBinMs(nowMs, 'DAY'))
  const { bins, error, refetch } = useBins(period, undefined, nowMs)
  const compared = bins && yesterdayAndUsual(bins)
  const figure = (name: 'distance' | 'trips' | 'duration', format: (value: number) => string) => {
    if (!compared) return null
    const { yesterday, usual } = compared
    const change = usual?.[name] ? ` (${formatChange(yesterday[name] / usual[name] - 1)})` : ''
    return (
      <Figure label={figures[name]} hint={usual && `${format(usual[name])}${change}`}>
        {format(yesterday[name])}
      </Figure>
    )
  }
  return (
    <ListCard
      title={texts.yesterday(formatDay(startOfBinMs(nowMs, 'DAY', -1)))}
      all={linkOptions({ to: '/statistics' })}
      allText={texts.toStatistics}
    >
      {!compared && <RequestState error={error} refetch={refetch} />}
      {compared && (
        <Figures>
          {figure('distance', formatDistance)}
          {figure('trips', formatNumber)}
          {figure('duration', formatDuration)}
        </Figures>
      )}
      {compared?.usual && <Hint fz="xs">{texts.usual(compared.daysBefore)}</Hint>}
    </ListCard>
  )
}

interface ListCardProps {
  readonly title: string
  readonly lines?: readonly ReactNode[]
  /** How many there are, if more than lines. */
  readonly count?: number
  /** Where all of it is. */
  readonly all: LinkOptions
  readonly allText?: string
  readonly children?: ReactNode
}

/** A list with its first lines. */
function ListCard({ title, lines = [], count = lines.length, all, allText, children }: ListCardProps) {
  const { showAll } = useTexts('today')
  const link = (
    <PageLink {...all} fz="sm" aria-label={`${allText ?? showAll}: ${title}`}>
      {allText ?? showAll}
    </PageLink>
  )
  return (
    <Part title={count === 0 ? title : `${title}: ${formatNumber(count)}`} aside={link}>
      {children && <Group gap="md">{children}</Group>}
      {lines.length > 0 && (
        <Stack component="ul" gap={8} m={0} p={0} style={{ listStyle: 'none' }}>
          {lines.slice(0, MOST_LINES)}
        </Stack>
      )}
    </Part>
  )
}

interface LineProps {
  readonly name: string
  readonly link: LinkOptions
  readonly detail: readonly string[]
  /** Of the mark in front; none without. */
  readonly color?: string
  readonly children?: ReactNode
}

function Line({ name, link, detail, color, children }: LineProps) {
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="xs">
      <Flex
        direction={children ? 'column' : 'row'}
        wrap="wrap"
        columnGap="xs"
        {...(color && { pl: 8, style: { borderLeft: `4px solid ${color}` } })}
      >
        <PageLink {...link} fz="sm" fw={600}>
          {name}
        </PageLink>
        <Hint>{detail.filter(Boolean).join(' · ')}</Hint>
      </Flex>
      {children}
    </Group>
  )
}
