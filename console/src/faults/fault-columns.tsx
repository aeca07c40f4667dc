import { formatDateTime, formatDuration } from '../language/format.ts'
import type { Language, Texts } from '../language/language.ts'
import type { Column } from '../table/column.ts'
import type { Fault } from './fault.ts'
import { Age, CarName, CodeArea, CodeText, KindBadge, Meaning } from './fault-parts.tsx'

interface ColumnsOf {
  readonly texts: Texts<'faults'>
  readonly language: Language
  readonly nowMs: number
  /** Ids of the cars whose warning lamp is on. */
  readonly lampIds: ReadonlySet<string>
}

/** What the list says of each code that is reported now. */
export function currentColumns(of: ColumnsOf): readonly Column<Fault>[] {
  const { texts, nowMs } = of
  const since: Column<Fault> = {
    id: 'since',
    title: texts.since,
    isNumeric: true,
    order: fault => fault.sinceMs,
    cell: fault => <Age timeMs={fault.sinceMs} nowMs={nowMs} />,
  }
  return [...nameColumns(of), since, ...detailColumns(of)]
}

/** What the list says of each code that is gone. */
export function historyColumns(of: ColumnsOf): readonly Column<Fault>[] {
  const { texts, language } = of
  const lastedMs = ({ sinceMs, goneMs }: Fault) => (goneMs === undefined ? undefined : goneMs - sinceMs)
  return [
    ...nameColumns(of),
    {
      id: 'from',
      title: texts.from,
      isNumeric: true,
      order: fault => fault.sinceMs,
      cell: fault => formatDateTime(fault.sinceMs, language),
    },
    {
      id: 'until',
      title: texts.until,
      isNumeric: true,
      order: fault => fault.goneMs,
      cell: fault => (fault.goneMs === undefined ? '' : formatDateTime(fault.goneMs, language)),
    },
    ...detailColumns(of),
    {
      id: 'lasted',
      title: texts.lasted,
      isNumeric: true,
      order: lastedMs,
      cell: fault => formatDuration((lastedMs(fault) ?? 0) / 1000),
    },
  ]
}

function nameColumns({ texts, lampIds }: ColumnsOf): readonly Column<Fault>[] {
  return [
    {
      id: 'car',
      title: texts.car,
      order: fault => fault.carName,
      cell: ({ vehicleId, carName }) => (
        <CarName vehicleId={vehicleId} name={carName} isLampOn={lampIds.has(vehicleId)} />
      ),
    },
    { id: 'code', title: texts.code, order: fault => fault.code, cell: fault => <CodeText code={fault.code} /> },
    {
      id: 'meaning',
      title: texts.meaning,
      isWide: true,
      order: fault => fault.text || undefined,
      cell: fault => <Meaning text={fault.text} />,
    },
  ]
}

function detailColumns({ texts }: ColumnsOf): readonly Column<Fault>[] {
  return [
    {
      id: 'kind',
      title: texts.kind,
      order: fault => texts.kinds[fault.kind],
      cell: fault => <KindBadge kind={fault.kind} />,
    },
    { id: 'ecu', title: texts.ecu, order: fault => fault.ecu || undefined, cell: fault => fault.ecu },
    { id: 'area', title: texts.area, cell: fault => <CodeArea code={fault.code} /> },
  ]
}
