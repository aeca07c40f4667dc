import { Group, Title } from '@mantine/core'
import { useMemo } from 'react'
import { dayOf } from '../calendar/days.ts'
import { ExportMenu } from '../export/export-menu.tsx'
import { fileNameOf } from '../export/files.ts'
import { numberOfCar } from '../fleet/car.ts'
import { useAwaitsCarDirectory, useCarDirectory } from '../fleet/use-cars.ts'
import {
  formatDistance,
  formatDuration,
  formatNumber,
  formatQuantity,
  type Texts,
  useTexts,
} from '../language/language.ts'
import { LoadingState, PageLink } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { carsCsv } from './statistics-csv.ts'
import type { CarSummary } from './summaries.ts'

export interface CarRow extends CarSummary {
  readonly name: string
  readonly model: string
}

/** The sums of each car that drove in the period. */
export function PerCar({ cars }: { readonly cars: readonly CarSummary[] }) {
  const texts = useTexts('statistics')
  const directory = useCarDirectory()
  const awaitsNames = useAwaitsCarDirectory()
  const mayReadVehicles = useMay('vehicles')
  const rows = useMemo(
    () =>
      cars.map((car): CarRow => {
        const entry = directory.get(car.vehicleId)
        const name = entry?.name ?? numberOfCar(car.vehicleId)
        return { ...car, name, model: entry?.makeAndModel ?? '' }
      }),
    [cars, directory],
  )
  const fleetKm = useMemo(() => cars.reduce((sum, { summary }) => sum + summary.distance.sum, 0), [cars])
  const columns = useMemo(() => columnsOf(texts, fleetKm, mayReadVehicles), [texts, fleetKm, mayReadVehicles])
  if (awaitsNames) return <LoadingState />
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Title order={2} fz="h4">
          {texts.perCar}
        </Title>
        <ExportMenu
          file="statistics"
          source={() => carsCsv(rows, texts.csvCarsTitles, fileNameOf([texts.csvCarsName, dayOf(Date.now())]))}
        />
      </Group>
      <DataTable
        label={texts.perCar}
        rows={rows}
        columns={columns}
        keyOf={row => row.vehicleId}
        firstOrdering={{ columnId: 'distance', isDescending: true }}
        height="max(360px, calc(100dvh - 160px))"
      />
    </div>
  )
}

function columnsOf(texts: Texts<'statistics'>, fleetKm: number, mayReadVehicles: boolean): readonly Column<CarRow>[] {
  return [
    {
      id: 'car',
      title: texts.car,
      order: row => row.name,
      cell: ({ vehicleId, name }) =>
        mayReadVehicles ? (
          <PageLink to="/cars/$vehicleId" params={{ vehicleId }} fz="sm">
            {name}
          </PageLink>
        ) : (
          name
        ),
    },
    { id: 'model', title: texts.model, order: row => row.model || undefined, cell: row => row.model },
    {
      id: 'distance',
      title: texts.distance,
      isNumeric: true,
      order: row => row.summary.distance.sum,
      cell: row => formatDistance(row.summary.distance.sum),
    },
    {
      id: 'share',
      title: texts.share,
      isNumeric: true,
      order: row => row.summary.distance.sum,
      cell: row => formatQuantity(fleetKm > 0 ? (row.summary.distance.sum / fleetKm) * 100 : 0, '%'),
    },
    {
      id: 'duration',
      title: texts.duration,
      isNumeric: true,
      order: row => row.summary.duration.sum,
      cell: row => formatDuration(row.summary.duration.sum),
    },
    {
      id: 'trips',
      title: texts.trips,
      isNumeric: true,
      order: row => row.summary.trips,
      cell: row => formatNumber(row.summary.trips),
    },
    {
      id: 'average',
      title: texts.average,
      isNumeric: true,
      order: row => row.summary.distance.average,
      cell: row => formatDistance(row.summary.distance.average),
    },
  ]
}
