import { Anchor, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconUserSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { ask } from '../api/request.ts'
import type { Area, AreaVisit } from '../api/types.ts'
import { dayOf, rangeOfDays } from '../calendar/days.ts'
import { ExportMenu } from '../export/export-menu.tsx'
import { fileNameOf } from '../export/files.ts'
import { useCarDirectory } from '../fleet/use-cars.ts'
import {
  formatDateTime,
  formatDistance,
  formatDuration,
  formatNumber,
  type Texts,
  timeZoneHere,
  useTexts,
} from '../language/language.ts'
import { CarLink, EmptyState, RequestState } from '../page/page.tsx'
import { type Column, numberColumn, textColumn } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { DaysInput } from '../table/filters.tsx'
import type { AreasSearch } from './areas-search.ts'

const WEEK_MS = 7 * 86_400_000

interface VisitsPanelProps {
  readonly area: Area
  /** The last week where nothing was chosen. */
  readonly days: AreasSearch
  readonly onDays: ComponentProps<typeof DaysInput>['onChange']
  readonly onBack: () => void
}

/** Which cars were in an area, over some days. */
export function VisitsPanel({ area, days: chosen, onDays, onBack }: VisitsPanelProps) {
  const texts = useTexts('area')
  const cars = useCarDirectory()
  const [nowMs] = useState(Date.now)
  const { from = dayOf(nowMs - WEEK_MS), to = dayOf(nowMs) } = chosen
  const days = { from, to }
  const [minutes, setMinutes] = useState('2')
  const [isAsNow, setAsNow] = useState(false)
  const { fromMs, toMs } = rangeOfDays(days)
  const shortestStayS = Math.max(0, Math.round(Number(minutes || 0) * 60))
  const { data, error, refetch } = useQuery({
    queryKey: ['area-visits', area.id, area.modifyTimestamp, fromMs, toMs, shortestStayS, isAsNow],
    queryFn: async ({ signal }) => {
      const [fromTimestamp, toTimestamp] = [fromMs, toMs].map(timeMs => new Date(timeMs).toISOString())
      const query = { fromTimestamp, toTimestamp, shortestStayS, drawing: isAsNow ? 'NOW' : 'THEN' } as const
      const path = { areaId: area.id }
      return (await ask('GET /cc/v2.0/areas/{areaId}/visits', { path, query, signal })).visits
    },
  })
  const nameOf = (vehicleId: string) => cars.get(vehicleId)?.name ?? vehicleId
  const carCount = new Set(data?.map(visit => visit.vehicleId)).size
  const csvSource = () => ({
    fileName: fileNameOf([texts.csvName, area.name, days.from, days.to]),
    titles: [
      texts.car,
      'IMEI',
      ...[texts.entered, texts.left].map(title => `${title} (${timeZoneHere()})`),
      `${texts.duration} (s)`,
      `${texts.distance} (km)`,
    ],
    async *pages() {
      yield (data ?? []).map(({ vehicleId, deviceId, enterTimestamp, leaveTimestamp, isOver, duration, distance }) => [
        nameOf(vehicleId),
        String(deviceId),
        new Date(enterTimestamp),
        isOver ? new Date(leaveTimestamp) : '',
        duration,
        distance,
      ])
    },
  })
  return (
    <Stack gap="sm" p="md">
      <Anchor component="button" type="button" fz="sm" ta="start" onClick={onBack}>
        {texts.back}
      </Anchor>
      <Title order={2} fz="h4">
        {texts.visitsTitle(area.name)}
      </Title>
      <DaysInput value={days} onChange={onDays} />
      <Group align="flex-end" gap="sm">
        <TextInput
          label={texts.shortest}
          type="number"
          min={0}
          max={10_080}
          w={260}
          value={minutes}
          onChange={event => setMinutes(event.currentTarget.value)}
        />
        <ExportMenu file="visits" source={csvSource} disabled={!data || data.length === 0} />
      </Group>
      {area.version > 1 && (
        <Checkbox label={texts.asNow} checked={isAsNow} onChange={event => setAsNow(event.currentTarget.checked)} />
      )}
      {!data && <RequestState error={error} refetch={refetch} />}
      {data?.length === 0 && <EmptyState icon={IconUserSearch} title={texts.noVisits} hint={texts.noVisitsHint} />}
      {data && data.length > 0 && (
        <>
          <Text fz="sm" role="status">
            {texts.visitCount(formatNumber(data.length), formatNumber(carCount))}
          </Text>
          <DataTable
            label={texts.visitsTitle(area.name)}
            rows={data}
            columns={visitColumns(texts, nameOf)}
            keyOf={visit => `${visit.vehicleId} ${visit.enterTimestamp}`}
            firstOrdering={{ columnId: 'entered', isDescending: true }}
            height="50dvh"
          />
        </>
      )}
    </Stack>
  )
}

function visitColumns(texts: Texts<'area'>, nameOf: (vehicleId: string) => string): readonly Column<AreaVisit>[] {
  return [
    {
      ...textColumn('car', texts.car, visit => nameOf(visit.vehicleId)),
      cell: ({ vehicleId }) => <CarLink vehicleId={vehicleId} name={nameOf(vehicleId)} />,
    },
    {
      id: 'entered',
      title: texts.entered,
      order: visit => visit.enterTimestamp,
      cell: visit => formatDateTime(Date.parse(visit.enterTimestamp)),
    },
    {
      id: 'left',
      title: texts.left,
      order: visit => visit.leaveTimestamp,
      cell: visit => (visit.isOver ? formatDateTime(Date.parse(visit.leaveTimestamp)) : texts.stillThere),
    },
    numberColumn('duration', texts.duration, visit => visit.duration, formatDuration),
    numberColumn('distance', texts.distance, visit => visit.distance, formatDistance),
  ]
}
