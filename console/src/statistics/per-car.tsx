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
import { CarLink, LoadingState } from '../page/page.tsx'
import { type Column, numberColumn, textColumn } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { carCells } from './statistics-csv.ts'
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
  const columns = useMemo(() => columnsOf(texts, fleetKm), [texts, fleetKm])
  if (awaitsNames) return <LoadingState />
  return (
    <div>
      <Group justify="space-between" mb="xs">
        <Title order={2} fz="h4">
          {texts.perCar}
        </Title>
        <ExportMenu
          file="statistics"
          source={() => ({
            fileName: fileNameOf([texts.csvCarsName, dayOf(Date.now())]),
            titles: texts.csvCarsTitles,
            pages: () => [rows.map(carCells)],
          })}
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

function columnsOf(texts: Texts<'statistics'>, fleetKm: number): readonly Column<CarRow>[] {
  return [
    {
      id: 'car',
      title: texts.car,
      order: row => row.name,
      cell: row => <CarLink {...row} />,
    },
    textColumn('model', texts.model, row => row.model),
    numberColumn('distance', texts.distance, row => row.summary.distance.sum, formatDistance),
    numberColumn(
      'share',
      texts.share,
      row => (fleetKm > 0 ? (row.summary.distance.sum / fleetKm) * 100 : 0),
      share => formatQuantity(share, '%'),
    ),
    numberColumn('duration', texts.duration, row => row.summary.duration.sum, formatDuration),
    numberColumn('trips', texts.trips, row => row.summary.trips, formatNumber),
    numberColumn('average', texts.average, row => row.summary.distance.average, formatDistance),
  ]
}
