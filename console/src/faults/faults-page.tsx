import { Group, Stack, Text, Title } from '@mantine/core'
import { IconEngine, IconMoodSmile, IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useMemo } from 'react'
import { dayOf } from '../calendar/days.ts'
import { CsvExportButton } from '../export/csv-export-button.tsx'
import { fileNameOf } from '../export/file-name.ts'
import { Figure, Figures } from '../figures/figures.tsx'
import { useAwaitsCarDirectory, useCarDirectory } from '../fleet/use-car-directory.ts'
import { useNow, useTyped } from '../fleet/use-now.ts'
import { formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { EmptyState } from '../states/empty-state.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { DataTable } from '../table/data-table.tsx'
import { chosenFaults, type Fault, faultOf } from './fault.ts'
import { currentColumns, historyColumns } from './fault-columns.tsx'
import { FaultGroups } from './fault-groups.tsx'
import { type FaultScope, faultsOf } from './fault-list.ts'
import { faultsCsv } from './faults-csv.ts'
import { FaultsFilters } from './faults-filters.tsx'
import { faultCountQuery, faultsQuery } from './faults-query.ts'
import { type FaultsSearch, timeRangeOf } from './faults-search.ts'
import { LampCars } from './lamp-cars.tsx'
import { useLampCars, useReadingCars } from './use-lamp-cars.ts'

const LOOK_AT_CLOCK_MS = 60_000

/** The address follows what is typed after a rest of this length. */
const TYPING_MS = 300

const TABLE_HEIGHT = 'max(320px, calc(100dvh - 270px))'

/** The fault codes of the fleet: those of now, and those that are gone. */
export function FaultsPage() {
  const texts = useTexts('faults')
  const language = useLanguage()
  const nowMs = useNow(LOOK_AT_CLOCK_MS)
  const search = useSearch({ from: '/faults' })
  const navigate = useNavigate({ from: '/faults' })
  const { typed, type } = useTyped(search.search ?? '', TYPING_MS, text => {
    void navigate({ search: before => ({ ...before, search: text || undefined }), replace: true })
  })
  const isHistory = search.view === 'history'
  const { faults: read, total = 0, isCut, error, refetch, isPlaceholderData } = useFaults(search, nowMs)
  const awaitsNames = useAwaitsCarDirectory()
  const faults = awaitsNames ? undefined : read
  const wanted = useDeferredValue(typed)
  const chosen = useMemo(
    () => faults && chosenFaults(faults, { search: wanted, kind: search.kind }),
    [faults, wanted, search.kind],
  )
  const lamps = useLampCars()
  const cars = useCarDirectory()
  const lampIds = useMemo(() => new Set(lamps), [lamps])
  const columns = useMemo(() => {
    const of = { texts, language, nowMs, lampIds }
    return isHistory ? historyColumns(of) : currentColumns(of)
  }, [texts, language, nowMs, lampIds, isHistory])

  const show = (changed: FaultsSearch) => void navigate({ search: changed, replace: true })
  const csvSource = () => {
    const name = texts.csvName[isHistory ? 'history' : 'current']
    return faultsCsv(chosen ?? [], texts, fileNameOf([name, dayOf(Date.now())], 'csv'))
  }
  const { codes, cars: carsNow, gone, carsThen } = texts.figures
  const figures = isHistory ? ([gone, carsThen] as const) : ([codes, carsNow] as const)
  const carCount = useMemo(() => new Set(chosen?.map(({ vehicleId }) => vehicleId)).size, [chosen])

  return (
    <Stack p="md" gap="md">
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <FaultsFilters search={search} typed={typed} onType={type} onChange={show} />
      {faults && chosen && (
        <Group align="end" justify="space-between" gap="sm">
          <Figures>
            <Figure label={figures[0]}>{formatNumber(chosen.length, language)}</Figure>
            <Figure label={figures[1]}>{formatNumber(carCount, language)}</Figure>
            {lamps && (
              <Figure label={texts.figures.lamp}>
                <LampCars vehicleIds={lamps} cars={cars} />
              </Figure>
            )}
          </Figures>
          <CsvExportButton file="faults" source={csvSource} disabled={chosen.length === 0} />
        </Group>
      )}
      {faults && chosen && (chosen.length < total || isCut) && (
        <Text fz="sm" c="dimmed" role="status">
          {chosen.length < total && texts.shown(formatNumber(chosen.length, language), formatNumber(total, language))}
          {isCut && ` ${texts.cut(formatNumber(faults.length, language))}`}
        </Text>
      )}
      {!faults && error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!faults && !error && <LoadingState />}
      {faults?.length === 0 && <NoFaults isHistory={isHistory} hasLamps={lampIds.size > 0} />}
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
              height={TABLE_HEIGHT}
            />
          )}
          {isHistory && (
            <Text fz="sm" c="dimmed">
              {`${texts.periodHint} ${texts.until}: ${texts.untilHint}`}
            </Text>
          )}
        </Stack>
      )}
    </Stack>
  )
}

function NoFaults({ isHistory, hasLamps }: { readonly isHistory: boolean; readonly hasLamps: boolean }) {
  const texts = useTexts('faults')
  const language = useLanguage()
  const cars = useReadingCars()
  if (isHistory) return <EmptyState icon={IconSearch} title={texts.noneGone} hint={texts.noneGoneHint} />
  if (hasLamps) return <EmptyState icon={IconEngine} title={texts.noneButLamps} hint={texts.noneButLampsHint} />
  if (cars && cars.reading === 0)
    return (
      <EmptyState
        icon={IconEngine}
        title={texts.noneRead}
        hint={cars.all === 0 ? texts.noneHint : texts.noneReadHint}
      />
    )
  const isAllRead = cars !== undefined && cars.reading === cars.all
  return (
    <EmptyState
      icon={isAllRead ? IconMoodSmile : IconEngine}
      title={isAllRead ? texts.none : texts.noneReported}
      hint={
        cars && !isAllRead
          ? texts.someRead(formatNumber(cars.reading, language), formatNumber(cars.all, language))
          : texts.noneHint
      }
    />
  )
}

/** The codes of the view with their cars. Hidden cars count only in the past. */
function useFaults(search: FaultsSearch, nowMs: number) {
  const language = useLanguage()
  const cars = useCarDirectory()
  const { fromMs, toMs } = timeRangeOf(search, nowMs)
  const scope = useMemo(
    (): FaultScope => (search.view === 'history' ? { view: 'history', fromMs, toMs } : { view: 'current' }),
    [search.view, fromMs, toMs],
  )
  const query = useQuery({ ...faultsQuery(scope, language), placeholderData: keepPreviousData })
  const { data, error, refetch, isPlaceholderData } = query
  const faults = useMemo((): readonly Fault[] | undefined => {
    const dtcs = data && faultsOf(data, scope)
    const shown = dtcs?.filter(dtc => scope.view === 'history' || !cars.get(dtc.vehicleId)?.isHidden)
    return shown?.map(dtc => faultOf(dtc, cars.get(dtc.vehicleId)))
  }, [data, scope, cars])
  const isCut = data?.isCut ?? false
  // Where all were read, they are what the page shows of them: without those of hidden cars.
  const { data: counted } = useQuery({ ...faultCountQuery(scope), enabled: isCut })
  const total = isCut ? counted : faults?.length
  return { faults, total, isCut, error, refetch, isPlaceholderData }
}
