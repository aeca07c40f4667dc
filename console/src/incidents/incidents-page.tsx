import { Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { IconBell, IconCheck, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Incident } from '../api/types.ts'
import { useAreaNames } from '../areas/areas-query.ts'
import { dayOf } from '../calendar/days.ts'
import { ExportMenu } from '../export/export-menu.tsx'
import { fileNameOf } from '../export/files.ts'
import { useAwaitsCarDirectory, useCarDirectory } from '../fleet/use-cars.ts'
import { compareTexts, formatNumber, timeZoneHere, useNow, useTexts } from '../language/language.ts'
import { useSyncedList } from '../live/synced-list.ts'
import { EmptyState, Hint, RequestState } from '../page/page.tsx'
import { RulesProgress, rulesProgressQuery, useRules } from '../rules/rules.tsx'
import { useMay } from '../session/use-session.ts'
import { DataTable } from '../table/data-table.tsx'
import { CarSelect, PeriodSelect, SearchField, useSearchText } from '../table/filters.tsx'
import { AcknowledgeDialog } from './acknowledge.tsx'
import {
  chosenIncidents,
  type IncidentLine,
  type IncidentScope,
  incidentLines,
  incidentRow,
  incidentsIn,
  isLineFound,
  isUnseen,
  SEVERITIES,
  stateOf,
  titleOf,
} from './incident.ts'
import { FIRST_COLUMN, incidentColumns } from './incident-columns.tsx'
import { incidentsSource } from './incidents-query.ts'
import { INCIDENT_PERIODS, type IncidentsSearch, STATES } from './incidents-search.ts'

/** Days begin and end while the page is open, and running incidents get longer. */
const LOOK_AT_CLOCK_MS = 60_000

const NONE: ReadonlySet<string> = new Set()

const TABLE_HEIGHT = 'max(320px, calc(100dvh - 270px))'

/** What the rules found: running incidents first, then the newest. */
export function IncidentsPage() {
  const texts = useTexts('incidents')
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const search = useSearch({ from: '/incidents' })
  const navigate = useNavigate({ from: '/incidents' })
  const { field, wanted } = useSearchText()
  const [acknowledging, setAcknowledging] = useState<readonly IncidentLine[]>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(NONE)
  const cars = useCarDirectory()
  const rules = useRules()
  const areas = useAreaNames()
  const mayReadRules = useMay('rules')
  const { read, total, isCut, error, refetch, isPlaceholderData } = useIncidents(search, nowMs)
  const named = useMemo(
    () => read && incidentLines(chosenIncidents(read, search), { cars, rules, areas }),
    [read, search, cars, rules, areas],
  )
  const lines = useMemo(() => named?.filter(line => isLineFound(line, wanted, texts)), [named, wanted, texts])
  const marked = lines?.filter(({ incident }) => selected.has(incident.id) && isUnseen(incident)) ?? []
  const columns = useMemo(() => incidentColumns(texts, nowMs, line => setAcknowledging([line])), [texts, nowMs])
  const exportSource = () => ({
    fileName: fileNameOf([texts.csvName, dayOf(Date.now())]),
    titles: texts.csvTitles(timeZoneHere()),
    pages: () => [(lines ?? []).map(line => incidentRow(line, texts))],
  })
  const titleOfDialog = (of: readonly IncidentLine[]) => {
    const [line] = of
    return line && of.length === 1
      ? texts.pageTitle(titleOf(line.incident), line.carName)
      : texts.acknowledgeTitle(of.length, formatNumber(of.length))
  }
  const show = (changed: IncidentsSearch) => void navigate({ search: changed, replace: true })

  return (
    <Stack p="md" gap="md">
      <Group justify="space-between" align="end">
        <Title order={1} fz="h2">
          {texts.title}
        </Title>
        <SearchField label={texts.search} {...field} />
      </Group>
      <IncidentsFilters search={search} read={read} onChange={show} />
      {mayReadRules && <RulesProgress />}
      {!read && <RequestState error={error} refetch={refetch} />}
      {read?.length === 0 && <NoIncidents />}
      {read && read.length > 0 && lines && (
        <Group align="center" justify="space-between" gap="sm">
          {selected.size > 0 ? (
            <Group gap="sm">
              <Button
                leftSection={<IconCheck size={16} aria-hidden />}
                disabled={marked.length === 0}
                onClick={() => setAcknowledging(marked)}
              >
                {texts.acknowledgeSelected(formatNumber(marked.length))}
              </Button>
              <Button variant="subtle" onClick={() => setSelected(NONE)}>
                {texts.clearSelection}
              </Button>
            </Group>
          ) : (
            <Counts lines={lines} total={total} readCount={isCut ? read.length : undefined} />
          )}
          <ExportMenu file="incidents" source={exportSource} disabled={lines.length === 0} />
        </Group>
      )}
      {read && read.length > 0 && lines?.length === 0 && (
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
            sort={search.sort}
            onSort={sort => show({ ...search, sort })}
            selection={{ selected, onChange: setSelected }}
            height={TABLE_HEIGHT}
          />
        </Stack>
      )}
      {acknowledging && (
        <AcknowledgeDialog
          incidents={acknowledging.map(({ incident }) => incident)}
          title={titleOfDialog(acknowledging)}
          onClose={() => setAcknowledging(undefined)}
          onDone={() => setSelected(NONE)}
        />
      )}
    </Stack>
  )
}

interface CountsProps {
  readonly lines: readonly IncidentLine[]
  /** Undefined until it is known. */
  readonly total: number | undefined
  /** How many were read, if not all. */
  readonly readCount: number | undefined
}

function Counts({ lines, total, readCount }: CountsProps) {
  const texts = useTexts('incidents')
  const open = lines.filter(({ incident }) => stateOf(incident) === 'open').length
  const unseen = lines.filter(({ incident }) => isUnseen(incident)).length
  return (
    <Group gap="md" role="status">
      <Text fz="sm" fw={600}>
        {total === undefined || total === lines.length
          ? texts.count(lines.length, formatNumber(lines.length))
          : texts.countOf(formatNumber(lines.length), formatNumber(total))}
      </Text>
      {open > 0 && <Text fz="sm">{texts.openCount(formatNumber(open))}</Text>}
      {unseen > 0 && <Text fz="sm">{texts.unseenCount(formatNumber(unseen))}</Text>}
      {readCount !== undefined && <Hint>{texts.cut(formatNumber(readCount))}</Hint>}
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
  const awaitsNames = useAwaitsCarDirectory()
  const { car: vehicleId, rule: ruleId, area: areaId } = search
  const { fromMs, toMs } = INCIDENT_PERIODS.timeOf(search, nowMs)
  const scope = useMemo(
    (): IncidentScope => ({ vehicleId, ruleId, areaId, fromMs, toMs }),
    [vehicleId, ruleId, areaId, fromMs, toMs],
  )
  const { list, isCut, counted, ...request } = useSyncedList(incidentsSource(scope))
  const read = useMemo(() => (list && !awaitsNames ? incidentsIn(list, scope) : undefined), [list, awaitsNames, scope])
  // Those that began before the range and go on are all read, and not counted.
  const before = read?.filter(({ startTimestamp }) => Date.parse(startTimestamp) < fromMs).length ?? 0
  const total = isCut ? counted && counted + before : read?.length
  return { read, total, isCut, ...request }
}

interface IncidentsFiltersProps {
  readonly search: IncidentsSearch
  readonly read: readonly Incident[] | undefined
  readonly onChange: (search: IncidentsSearch) => void
}

/** Which incidents are shown; what is chosen goes into the address. */
function IncidentsFilters({ search, read = [], onChange }: IncidentsFiltersProps) {
  const texts = useTexts('incidents')
  const { kind, rule, area } = search
  const kinds = useMemo(() => new Map(read.map(each => [each.kind as string, each.title])), [read])
  const areas = optionsOf(useAreaNames())
  const rules = [...useRules().values()].filter(({ id, deleteTimestamp }) => deleteTimestamp === null || id === rule)
  const whats = [
    {
      group: texts.kinds,
      items: optionsOf([...(kind === undefined ? [] : [[kind, kind] as const]), ...kinds], 'kind:'),
    },
    {
      group: texts.rules,
      items: optionsOf(
        rules.map(({ id, name }) => [id, name]),
        'rule:',
      ),
    },
  ]
  /** What may be chosen or not. */
  const of = (name: 'state' | 'severity' | 'area', placeholder: string) => ({
    label: texts[name],
    placeholder,
    value: search[name] ?? null,
    onChange: (value: string | null) => onChange({ ...search, [name]: value ?? undefined }),
    clearable: true,
  })
  return (
    <Group align="end" gap="sm">
      <Select
        {...of('state', texts.allStates)}
        data={STATES.map(value => ({ value, label: texts.states[value] }))}
        w={{ base: HALF, xs: 185 }}
      />
      <Select
        {...of('severity', texts.allSeverities)}
        data={SEVERITIES.map(value => ({ value, label: texts.severities[value] }))}
        w={{ base: HALF, xs: 145 }}
      />
      <Select
        label={texts.what}
        placeholder={texts.everything}
        data={whats.filter(({ items }) => items.length > 0)}
        value={rule ? `rule:${rule}` : kind ? `kind:${kind}` : null}
        onChange={value => {
          const [what = '', id] = value?.split(':') ?? []
          onChange({ ...search, kind: undefined, rule: undefined, ...(what && { [what]: id }) })
        }}
        nothingFoundMessage={texts.nothingFound}
        searchable
        clearable
        w={{ base: '100%', xs: 170 }}
      />
      <CarSelect value={search.car} onChange={car => onChange({ ...search, car })} />
      {(areas.length > 0 || area) && (
        <Select
          {...of('area', texts.allAreas)}
          data={areas}
          nothingFoundMessage={texts.nothingFound}
          limit={100}
          searchable
          w={{ base: HALF, xs: 145 }}
        />
      )}
      <PeriodSelect
        label={texts.period}
        periods={INCIDENT_PERIODS}
        texts={texts.ranges}
        search={search}
        onChange={period => onChange({ ...search, ...period })}
        w={{ base: HALF, xs: 155 }}
      />
    </Group>
  )
}

/** Two of them side by side on a phone. */
const HALF = 'calc(50% - 6px)'

/** What can be chosen, by name. */
function optionsOf(names: Iterable<readonly [id: string, name: string]>, prefix = '') {
  const options = [...new Map(names)].map(([id, label]) => ({ value: `${prefix}${id}`, label }))
  return options.sort((a, b) => compareTexts(a.label, b.label))
}
