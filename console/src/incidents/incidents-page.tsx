import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconBell, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useAreaNames } from '../areas/areas-query.ts'
import { dayOf } from '../calendar/days.ts'
import { CsvExportButton } from '../export/csv-export-button.tsx'
import { fileNameOf } from '../export/file-name.ts'
import { useAwaitsCarDirectory, useCarDirectory } from '../fleet/use-car-directory.ts'
import { useNow } from '../fleet/use-now.ts'
import { formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { RulesProgress } from '../rules/rules-progress.tsx'
import { rulesProgressQuery } from '../rules/rules-query.ts'
import { useRules } from '../rules/use-rules.ts'
import { useMay } from '../session/use-session.ts'
import { EmptyState } from '../states/empty-state.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { DataTable } from '../table/data-table.tsx'
import { AcknowledgeDialog } from './acknowledge-dialog.tsx'
import { FIRST_COLUMN, incidentColumns } from './incident-columns.tsx'
import { type IncidentLine, incidentLines, titleOf } from './incident-line.ts'
import { chosenIncidents, type IncidentScope, incidentsIn, isUnseen, kindsOf, stateOf } from './incident-list.ts'
import { incidentsCsv } from './incidents-csv.ts'
import { IncidentsFilters } from './incidents-filters.tsx'
import { incidentCountQuery, incidentsQuery } from './incidents-query.ts'
import { type IncidentsSearch, timeRangeOf } from './incidents-search.ts'

/** Days begin and end while the page is open, and running incidents get longer. */
const LOOK_AT_CLOCK_MS = 60_000

const TABLE_HEIGHT = 'max(320px, calc(100dvh - 270px))'

/** What the rules found: running incidents first, then the newest. */
export function IncidentsPage() {
  const texts = useTexts('incidents')
  const language = useLanguage()
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const search = useSearch({ from: '/incidents' })
  const navigate = useNavigate({ from: '/incidents' })
  const [acknowledging, setAcknowledging] = useState<IncidentLine>()
  const cars = useCarDirectory()
  const rules = useRules()
  const areas = useAreaNames()
  const mayReadRules = useMay('rules')
  const { read, total, isCut, error, refetch, isPlaceholderData } = useIncidents(search, nowMs)
  const kinds = useMemo(() => kindsOf(read ?? []), [read])
  const { kind, severity, state } = search
  const chosen = useMemo(() => read && chosenIncidents(read, { kind, severity, state }), [read, kind, severity, state])
  const lines = useMemo(() => chosen && incidentLines(chosen, { cars, rules, areas }), [chosen, cars, rules, areas])
  const columns = useMemo(
    () => incidentColumns({ texts, language, nowMs, onAcknowledge: setAcknowledging }),
    [texts, language, nowMs],
  )
  const csvSource = () => incidentsCsv(lines ?? [], texts, fileNameOf([texts.csvName, dayOf(Date.now())], 'csv'))
  const show = (changed: IncidentsSearch) => void navigate({ search: changed, replace: true })

  return (
    <Stack p="md" gap="md">
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <IncidentsFilters search={search} onChange={show} cars={cars} kinds={kinds} rules={rules} areas={areas} />
      {mayReadRules && <RulesProgress />}
      {!read && error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!read && !error && <LoadingState />}
      {read?.length === 0 && <NoIncidents />}
      {read && read.length > 0 && chosen && (
        <Group align="center" justify="space-between" gap="sm">
          <Counts incidents={chosen} total={total} readCount={isCut ? read.length : undefined} />
          <CsvExportButton file="incidents" source={csvSource} disabled={chosen.length === 0} />
        </Group>
      )}
      {read && read.length > 0 && chosen?.length === 0 && (
        <EmptyState icon={IconSearch} title={texts.noMatch} hint={texts.noMatchHint} />
      )}
      {lines && lines.length > 0 && (
        <Stack gap="xs" opacity={isPlaceholderData ? 0.5 : 1}>
          <DataTable
            label={texts.title}
            rows={lines}
            columns={columns}
            keyOf={line => line.incident.id}
            firstOrdering={{ columnId: FIRST_COLUMN, isDescending: false }}
            height={TABLE_HEIGHT}
          />
        </Stack>
      )}
      {acknowledging && (
        <AcknowledgeDialog
          incident={acknowledging.incident}
          title={texts.pageTitle(titleOf(acknowledging.incident), acknowledging.carName)}
          onClose={() => setAcknowledging(undefined)}
        />
      )}
    </Stack>
  )
}

interface CountsProps {
  readonly incidents: Parameters<typeof chosenIncidents>[0]
  /** Undefined until it is known. */
  readonly total: number | undefined
  /** How many were read, if not all. */
  readonly readCount: number | undefined
}

function Counts({ incidents, total, readCount }: CountsProps) {
  const texts = useTexts('incidents')
  const language = useLanguage()
  const open = incidents.filter(incident => stateOf(incident) === 'open').length
  const unseen = incidents.filter(isUnseen).length
  return (
    <Group gap="md" role="status">
      <Text fz="sm" fw={600}>
        {total === undefined || total === incidents.length
          ? texts.count(incidents.length, formatNumber(incidents.length, language))
          : texts.countOf(formatNumber(incidents.length, language), formatNumber(total, language))}
      </Text>
      {open > 0 && <Text fz="sm">{texts.openCount(formatNumber(open, language))}</Text>}
      {unseen > 0 && <Text fz="sm">{texts.unseenCount(formatNumber(unseen, language))}</Text>}
      {readCount !== undefined && (
        <Text fz="sm" c="dimmed">
          {texts.cut(formatNumber(readCount, language))}
        </Text>
      )}
    </Group>
  )
}

function NoIncidents() {
  const texts = useTexts('incidents')
  const mayReadRules = useMay('rules')
  const { data: progress } = useQuery({ ...rulesProgressQuery, enabled: mayReadRules })
  const isSearching = progress?.isDone === false
  return (
    <EmptyState
      icon={IconBell}
      title={isSearching ? texts.noneYet : texts.none}
      hint={isSearching ? texts.noneYetHint : texts.noneHint}
    >
      {mayReadRules && (
        <Button variant="light" mt="sm" component={Link} to="/rules">
          {texts.toRules}
        </Button>
      )}
    </EmptyState>
  )
}

/** The incidents of the page, as soon as the names of cars are there, too. */
function useIncidents(search: IncidentsSearch, nowMs: number) {
  const language = useLanguage()
  const awaitsNames = useAwaitsCarDirectory()
  const { car: vehicleId, rule: ruleId, area: areaId } = search
  const { fromMs, toMs } = timeRangeOf(search, nowMs)
  const scope = useMemo(
    (): IncidentScope => ({ vehicleId, ruleId, areaId, fromMs, toMs }),
    [vehicleId, ruleId, areaId, fromMs, toMs],
  )
  const query = useQuery({ ...incidentsQuery(scope, language), placeholderData: keepPreviousData })
  const { data, error, refetch, isPlaceholderData } = query
  const read = useMemo(() => (awaitsNames ? undefined : data && incidentsIn(data, scope)), [awaitsNames, data, scope])
  const isCut = data?.isCut ?? false
  const { data: counted } = useQuery({ ...incidentCountQuery(scope), enabled: isCut })
  const before = useMemo(
    () => read?.filter(({ startTimestamp }) => Date.parse(startTimestamp) < fromMs),
    [read, fromMs],
  )
  // Those that began before the range and go on are all read, and not counted.
  const total = isCut ? (counted !== undefined && before ? counted + before.length : undefined) : read?.length
  return { read, total, isCut, error, refetch, isPlaceholderData }
}
