import { Group, Popover, SegmentedControl, Select, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { IconEngine, IconMoodSmile, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Vehicle } from '../api/types.ts'
import { dayOf } from '../calendar/days.ts'
import { ExportMenu } from '../export/export-menu.tsx'
import { type ExportCell, fileNameOf } from '../export/files.ts'
import { Figure, Figures } from '../figures/figures.tsx'
import { nameOfCar } from '../fleet/car.ts'
import { readsFaults } from '../fleet/car-state.ts'
import { useAwaitsCarDirectory, useCarDirectory, vehiclesQuery } from '../fleet/use-cars.ts'
import { formatNumber, type Texts, timeZoneHere, useNow, useTexts } from '../language/language.ts'
import { useSyncedList } from '../live/synced-list.ts'
import { EmptyState, Hint, PageLink, RequestState } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { DataTable } from '../table/data-table.tsx'
import { PeriodSelect, SearchField, useSearchText } from '../table/filters.tsx'
import { chosenFaults, codeSystemOf, type Fault, type FaultScope, faultOf, faultsOf } from './fault.ts'
import { faultColumns } from './fault-columns.tsx'
import { FaultGroups } from './fault-groups.tsx'
import { faultsSource } from './faults-query.ts'
import { FAULT_PERIODS, type FaultsSearch, GROUPINGS, KINDS, VIEWS } from './faults-search.ts'

const LOOK_AT_CLOCK_MS = 60_000

const TABLE_HEIGHT = 'max(320px, calc(100dvh - 270px))'

/** The fault codes of the fleet: those of now, and those that are gone. */
export function FaultsPage() {
  const texts = useTexts('faults')
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const search = useSearch({ from: '/faults' })
  const navigate = useNavigate({ from: '/faults' })
  const { field, wanted } = useSearchText()
  const isHistory = search.view === 'history'
  const { faults, total = 0, isCut, error, refetch, isPlaceholderData } = useFaults(search, nowMs)
  const chosen = useMemo(
    () => faults && chosenFaults(faults, { search: wanted, kind: search.kind }, texts),
    [faults, wanted, search.kind, texts],
  )
  const lamps = useLamps()
  const lampIds = useMemo(() => new Set(lamps?.on), [lamps])
  const columns = useMemo(() => faultColumns(texts, isHistory, nowMs, lampIds), [texts, isHistory, nowMs, lampIds])

  const show = (changed: FaultsSearch) => void navigate({ search: changed, replace: true })
  const exportSource = () => ({
    fileName: fileNameOf([texts.csvName[isHistory ? 'history' : 'current'], dayOf(Date.now())]),
    titles: texts.csvTitles(timeZoneHere()),
    pages: () => [(chosen ?? []).map(fault => faultRow(fault, texts))],
  })
  const carCount = useMemo(() => new Set(chosen?.map(({ vehicleId }) => vehicleId)).size, [chosen])
  const { figures } = texts

  return (
    <Stack p="md" gap="md">
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <Group align="end" gap="sm">
        <SegmentedControl
          aria-label={texts.view}
          value={search.view ?? 'current'}
          onChange={view => show({ ...search, view: view === 'history' ? view : undefined })}
          data={VIEWS.map(value => ({ value, label: texts.views[value] }))}
        />
        <SegmentedControl
          aria-label={texts.grouping}
          value={search.group ?? 'none'}
          onChange={group => show({ ...search, group: group === 'none' ? undefined : group })}
          data={GROUPINGS.map(value => ({ value, label: texts.groupings[value] }))}
        />
        <SearchField label={texts.search} {...field} w={{ base: '100%', xs: 230 }} />
        <Select
          aria-label={texts.kind}
          placeholder={texts.allKinds}
          data={KINDS.map(value => ({ value, label: texts.kinds[value] }))}
          value={search.kind ?? null}
          onChange={kind => show({ ...search, kind: kind ?? undefined })}
          clearable
          w={{ base: '100%', xs: 140 }}
        />
        {isHistory && (
          <PeriodSelect
            label={texts.period}
            periods={FAULT_PERIODS}
            texts={texts.ranges}
            search={search}
            onChange={period => show({ ...search, ...period })}
          />
        )}
      </Group>
      {faults && chosen && (
        <Group align="end" justify="space-between" gap="sm">
          <Figures>
            <Figure label={isHistory ? figures.gone : figures.codes}>{formatNumber(chosen.length)}</Figure>
            <Figure label={isHistory ? figures.carsThen : figures.cars}>{formatNumber(carCount)}</Figure>
            {lamps && (
              <Figure label={figures.lamp}>
                <LampCars vehicleIds={lamps.on} />
              </Figure>
            )}
          </Figures>
          <ExportMenu file="faults" source={exportSource} disabled={chosen.length === 0} />
        </Group>
      )}
      {faults && chosen && (chosen.length < total || isCut) && (
        <Text fz="sm" c="dimmed" role="status">
          {chosen.length < total && texts.shown(formatNumber(chosen.length), formatNumber(total))}
          {isCut && ` ${texts.cut(formatNumber(faults.length))}`}
        </Text>
      )}
      {!faults && <RequestState error={error} refetch={refetch} />}
      {faults?.length === 0 && <NoFaults isHistory={isHistory} cars={lamps} />}
      {faults && faults.length > 0 && chosen?.length === 0 && (
        <EmptyState icon={IconSearch} title={texts.noMatch} hint={texts.noMatchHint} />
      )}
      {chosen && chosen.length > 0 && (
        <Stack gap="xs" opacity={isPlaceholderData ? 0.5 : 1}>
          {search.group ? (
            <FaultGroups
              key={search.group}
              by={search.group}
              faults={chosen}
              lampIds={lampIds}
              nowMs={nowMs}
              height={TABLE_HEIGHT}
            />
          ) : (
            <DataTable
              key={isHistory ? 'history' : 'current'}
              label={texts.views[isHistory ? 'history' : 'current']}
              rows={chosen}
              columns={columns}
              keyOf={fault => fault.id}
              firstOrdering={{ columnId: isHistory ? 'until' : 'since', isDescending: true }}
              sort={search.sort}
              onSort={sort => show({ ...search, sort })}
              height={TABLE_HEIGHT}
            />
          )}
          {isHistory && <Hint>{`${texts.periodHint} ${texts.until}: ${texts.untilHint}`}</Hint>}
        </Stack>
      )}
    </Stack>
  )
}

function NoFaults({ isHistory, cars }: { readonly isHistory: boolean; readonly cars: ReturnType<typeof useLamps> }) {
  const texts = useTexts('faults')
  if (isHistory) return <EmptyState icon={IconSearch} title={texts.noneGone} hint={texts.noneGoneHint} />
  if (cars?.on.length) return <EmptyState icon={IconEngine} title={texts.noneButLamps} hint={texts.noneButLampsHint} />
  if (!cars) return <EmptyState icon={IconEngine} title={texts.noneReported} hint={texts.noneHint} />
  const { reading, all } = cars
  if (reading === 0)
    return (
      <EmptyState icon={IconEngine} title={texts.noneRead} hint={all === 0 ? texts.noneHint : texts.noneReadHint} />
    )
  if (reading === all) return <EmptyState icon={IconMoodSmile} title={texts.none} hint={texts.noneHint} />
  const hint = texts.someRead(formatNumber(reading), formatNumber(all))
  return <EmptyState icon={IconEngine} title={texts.noneReported} hint={hint} />
}

/** The codes of the view with their cars, as soon as the names of these are there. Hidden cars count only in the past. */
function useFaults(search: FaultsSearch, nowMs: number) {
  const cars = useCarDirectory()
  const awaitsNames = useAwaitsCarDirectory()
  const { fromMs, toMs } = FAULT_PERIODS.timeOf(search, nowMs)
  const scope = useMemo(
    (): FaultScope => (search.view === 'history' ? { view: 'history', fromMs, toMs } : { view: 'current' }),
    [search.view, fromMs, toMs],
  )
  const { list, isCut, counted, ...request } = useSyncedList(faultsSource(scope))
  const faults = useMemo((): readonly Fault[] | undefined => {
    const dtcs = list && !awaitsNames ? faultsOf(list, scope) : undefined
    const shown = dtcs?.filter(dtc => scope.view === 'history' || !cars.get(dtc.vehicleId)?.isHidden)
    return shown?.map(dtc => faultOf(dtc, cars.get(dtc.vehicleId)))
  }, [list, awaitsNames, scope, cars])
  // Where all were read, they are what the page shows of them: without those of hidden cars.
  return { faults, total: isCut ? counted : faults?.length, isCut, ...request }
}

/** How many cars have their warning lamp on, and which. */
function LampCars({ vehicleIds }: { readonly vehicleIds: readonly string[] }) {
  const cars = useCarDirectory()
  const texts = useTexts('faults')
  const count = formatNumber(vehicleIds.length)
  if (vehicleIds.length === 0) return count
  return (
    <Popover position="bottom-start" trapFocus withArrow>
      <Popover.Target>
        <UnstyledButton fz="inherit" fw="inherit" td="underline dotted" aria-label={texts.lampCars(count)}>
          {count}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        <Stack gap={6} aria-label={texts.lampOn}>
          {vehicleIds.map(vehicleId => (
            <PageLink key={vehicleId} to="/cars/$vehicleId" params={{ vehicleId }} fz="sm">
              {nameOfCar(cars, vehicleId)}
            </PageLink>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

/**
 * Ids of the cars whose malfunction indicator lamp is on; of how many cars it is known whether they have faults, as their
 * dongles read codes or the lamp; and how many there are. Undefined while or where that cannot be known.
 */
function useLamps() {
  return useQuery({ ...vehiclesQuery, enabled: useMay('vehicles'), select: lampsOf }).data
}

function lampsOf(vehicles: ReadonlyMap<string, Vehicle>) {
  const shown = [...vehicles.values()].filter(({ deleteTimestamp }) => deleteTimestamp === null)
  const isOn = ({ lastEvents }: Vehicle) =>
    lastEvents.some(({ eventType, value }) => eventType === 'IS_MIL_ON' && value === true)
  return {
    on: shown.filter(isOn).map(({ id }) => id),
    reading: shown.filter(({ lastEvents }) => readsFaults(lastEvents)).length,
    all: shown.length,
  }
}

/** In the order of `csvTitles`. */
function faultRow(fault: Fault, texts: Texts<'faults'>): readonly ExportCell[] {
  const known = codeSystemOf(fault.code)
  return [
    fault.carName,
    fault.vehicleId,
    fault.code,
    fault.label,
    known && texts.systems[known.system],
    known && (known.isGeneric ? texts.yes : texts.no),
    fault.ecuType,
    texts.kinds[fault.dtcType],
    new Date(fault.sinceMs),
    fault.goneMs === undefined ? undefined : new Date(fault.goneMs),
  ]
}
