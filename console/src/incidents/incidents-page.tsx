import { Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { IconBell, IconCheck, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useMemo, useState } from 'react'
import { useAreaNames } from '../areas/areas-query.ts'
import { dayOf } from '../calendar/days.ts'
import { ExportMenu } from '../export/export-menu.tsx'
import { fileNameOf } from '../export/files.ts'
import type { CarEntry } from '../fleet/car.ts'
import { useAwaitsCarDirectory, useCarDirectory } from '../fleet/use-cars.ts'
import { compareTexts, formatNumber, useNow, useTexts } from '../language/language.ts'
import { EmptyState, ErrorState, LoadingState } from '../page/page.tsx'
import { RulesProgress, rulesProgressQuery, useRules } from '../rules/rules.tsx'
import { useMay } from '../session/use-session.ts'
import { DataTable } from '../table/data-table.tsx'
import { CarSelect, PeriodSelect, SearchField, useTyped } from '../table/filters.tsx'
import { AcknowledgeDialog } from './acknowledge.tsx'
import {
  chosenIncidents,
  type IncidentLine,
  type IncidentScope,
  incidentLines,
  incidentsIn,
  isLineFound,
  isUnseen,
  kindsOf,
  SEVERITIES,
  stateOf,
  titleOf,
} from './incident.ts'
import { FIRST_COLUMN, incidentColumns } from './incident-columns.tsx'
import { incidentsCsv } from './incidents-csv.ts'
import { incidentCountQuery, incidentsQuery } from './incidents-query.ts'
import { type IncidentsSearch, RANGE_NAMES, rangeNameOf, STATES, timeRangeOf } from './incidents-search.ts'

/** Days begin and end while the page is open, and running incidents get longer. */
const LOOK_AT_CLOCK_MS = 60_000

/** The address follows what is typed after a rest of this length. */
const TYPING_MS = 300

const NONE: ReadonlySet<string> = new Set()

const TABLE_HEIGHT = 'max(320px, calc(100dvh - 270px))'

/** What the rules found: running incidents first, then the newest. */
export function IncidentsPage() {
  const texts = useTexts('incidents')
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const search = useSearch({ from: '/incidents' })
  const navigate = useNavigate({ from: '/incidents' })
  const { typed, type } = useTyped(search.search ?? '', TYPING_MS, text => {
    void navigate({ search: before => ({ ...before, search: text || undefined }), replace: true })
  })
  const wanted = useDeferredValue(typed)
  const [acknowledging, setAcknowledging] = useState<readonly IncidentLine[]>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(NONE)
  const cars = useCarDirectory()
  const rules = useRules()
  const areas = useAreaNames()
  const mayReadRules = useMay('rules')
  const { read, total, isCut, error, refetch, isPlaceholderData } = useIncidents(search, nowMs)
  const kinds = useMemo(() => kindsOf(read ?? []), [read])
  const { kind, severity, state } = search
  const chosen = useMemo(() => read && chosenIncidents(read, { kind, severity, state }), [read, kind, severity, state])
  const named = useMemo(() => chosen && incidentLines(chosen, { cars, rules, areas }), [chosen, cars, rules, areas])
  const lines = useMemo(() => named?.filter(line => isLineFound(line, wanted, texts)), [named, wanted, texts])
  const marked = useMemo(
    () => lines?.filter(({ incident }) => selected.has(incident.id) && isUnseen(incident)) ?? [],
    [lines, selected],
  )
  const columns = useMemo(
    () => incidentColumns({ texts, nowMs, onAcknowledge: line => setAcknowledging([line]) }),
    [texts, nowMs],
  )
  const csvSource = () => incidentsCsv(lines ?? [], texts, fileNameOf([texts.csvName, dayOf(Date.now())]))
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
        <SearchField label={texts.search} value={typed} onChange={type} />
      </Group>
      <IncidentsFilters {...{ search, cars, kinds, rules, areas }} onChange={show} />
      {mayReadRules && <RulesProgress />}
      {!read && error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!read && !error && <LoadingState />}
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
          <ExportMenu file="incidents" source={csvSource} disabled={lines.length === 0} />
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
      {readCount !== undefined && (
        <Text fz="sm" c="dimmed">
          {texts.cut(formatNumber(readCount))}
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
  const awaitsNames = useAwaitsCarDirectory()
  const { car: vehicleId, rule: ruleId, area: areaId } = search
  const { fromMs, toMs } = timeRangeOf(search, nowMs)
  const scope = useMemo(
    (): IncidentScope => ({ vehicleId, ruleId, areaId, fromMs, toMs }),
    [vehicleId, ruleId, areaId, fromMs, toMs],
  )
  const query = useQuery({ ...incidentsQuery(scope), placeholderData: keepPreviousData })
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

interface IncidentsFiltersProps {
  readonly search: IncidentsSearch
  readonly onChange: (search: IncidentsSearch) => void
  readonly cars: ReadonlyMap<string, CarEntry>
  /** Kinds that there are in the period. */
  readonly kinds: readonly { readonly kind: string; readonly title: string }[]
  /** Names by id; empty for those who may not see them. */
  readonly rules: ReadonlyMap<string, { readonly name: string; readonly deleteTimestamp: string | null }>
  readonly areas: ReadonlyMap<string, string>
}

/** Which incidents are shown; what is chosen goes into the address. */
function IncidentsFilters({ search, onChange, cars, kinds, rules, areas }: IncidentsFiltersProps) {
  const texts = useTexts('incidents')
  const { range: _range, from: _from, to: _to, ...rest } = search
  const whats = useMemo(() => {
    const ruleItems = [...rules]
      .filter(([id, rule]) => rule.deleteTimestamp === null || id === search.rule)
      .map(([id, { name }]) => ({ value: `rule:${id}`, label: name }))
      .sort(byLabel)
    const kindItems = kinds.map(({ kind, title }) => ({ value: `kind:${kind}`, label: title }))
    if (search.kind !== undefined && !kinds.some(({ kind }) => kind === search.kind))
      kindItems.push({ value: `kind:${search.kind}`, label: search.kind })
    return [
      { group: texts.kinds, items: kindItems },
      { group: texts.rules, items: ruleItems },
    ].filter(({ items }) => items.length > 0)
  }, [kinds, rules, search.kind, search.rule, texts])
  const areaItems = useMemo(() => [...areas].map(([value, label]) => ({ value, label })).sort(byLabel), [areas])
  const chooseWhat = (value: string | null) => {
    const [what, id] = value?.split(':') ?? []
    onChange({ ...search, kind: what === 'kind' ? id : undefined, rule: what === 'rule' ? id : undefined })
  }
  /** What may be chosen or not. */
  const of = (name: 'state' | 'severity' | 'area') => ({
    value: search[name] ?? null,
    onChange: (value: string | null) => onChange({ ...search, [name]: value ?? undefined }),
    clearable: true,
  })
  const what =
    search.rule !== undefined ? `rule:${search.rule}` : search.kind !== undefined ? `kind:${search.kind}` : null
  return (
    <Group align="end" gap="sm">
      <Select
        {...of('state')}
        label={texts.state}
        placeholder={texts.allStates}
        data={STATES.map(value => ({ value, label: texts.states[value] }))}
        w={{ base: HALF, xs: 185 }}
      />
      <Select
        {...of('severity')}
        label={texts.severity}
        placeholder={texts.allSeverities}
        data={SEVERITIES.map(value => ({ value, label: texts.severities[value] }))}
        w={{ base: HALF, xs: 145 }}
      />
      <Select
        label={texts.what}
        placeholder={texts.everything}
        data={whats}
        value={what}
        onChange={chooseWhat}
        nothingFoundMessage={texts.nothingFound}
        searchable
        clearable
        w={{ base: '100%', xs: 170 }}
      />
      <CarSelect cars={cars} value={search.car} onChange={car => onChange({ ...search, car })} />
      {(areaItems.length > 0 || search.area !== undefined) && (
        <Select
          {...of('area')}
          label={texts.area}
          placeholder={texts.allAreas}
          data={areaItems}
          nothingFoundMessage={texts.nothingFound}
          limit={100}
          searchable
          w={{ base: HALF, xs: 145 }}
        />
      )}
      <PeriodSelect
        label={texts.period}
        names={RANGE_NAMES}
        texts={texts.ranges}
        value={rangeNameOf(search)}
        days={search}
        onChange={period => onChange({ ...rest, ...period })}
        w={{ base: HALF, xs: 155 }}
      />
    </Group>
  )
}

/** Two of them side by side on a phone. */
const HALF = 'calc(50% - 6px)'

function byLabel(a: { readonly label: string }, b: { readonly label: string }): number {
  return compareTexts(a.label, b.label)
}
