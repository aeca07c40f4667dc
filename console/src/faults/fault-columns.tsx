import { Badge, Group, Text } from '@mantine/core'
import { IconEngine } from '@tabler/icons-react'
import { formatAge, formatDateTime, formatDuration } from '../language/format.ts'
import { type Language, type Texts, useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { PageLink } from '../shell/page-link.tsx'
import type { Column } from '../table/column.ts'
import { codeSystemOf, type Fault } from './fault.ts'

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

/** The car of a fault, as a link for those who may see it. */
export function CarName({ vehicleId, name, isLampOn }: { vehicleId: string; name: string; isLampOn: boolean }) {
  const texts = useTexts('faults')
  const mayReadVehicles = useMay('vehicles')
  return (
    <Group gap={6} wrap="nowrap">
      {mayReadVehicles ? (
        <PageLink to="/cars/$vehicleId" params={{ vehicleId }} fz="sm">
          {name}
        </PageLink>
      ) : (
        name
      )}
      {isLampOn && (
        <Text span c="orange" display="inline-flex" title={texts.lampOn}>
          <IconEngine size={18} stroke={1.8} role="img" aria-label={texts.lampOn} />
        </Text>
      )}
    </Group>
  )
}

const KIND_COLORS: Readonly<Record<Fault['kind'], string>> = {
  PERMANENT: 'orange',
  SPORADIC: 'yellow',
  FREEZEFRAME: 'gray',
}

export function KindBadge({ kind }: Pick<Fault, 'kind'>) {
  const texts = useTexts('faults')
  const color = KIND_COLORS[kind]
  return (
    <Badge
      color={color}
      variant="light"
      c="var(--mantine-color-text)"
      miw="max-content"
      tt="none"
      title={texts.kindMeanings[kind]}
    >
      {texts.kinds[kind]}
    </Badge>
  )
}

export function CodeText({ code }: Pick<Fault, 'code'>) {
  return (
    <Text span fz="sm" fw={600} ff="monospace">
      {code}
    </Text>
  )
}

/** The part of the car and who says what the code means. */
export function CodeArea({ code }: Pick<Fault, 'code'>) {
  const texts = useTexts('faults')
  const known = codeSystemOf(code)
  if (!known) return null
  const { system, isGeneric } = known
  return (
    <Text span fz="sm" title={isGeneric ? texts.genericMeaning : texts.manufacturerMeaning}>
      {texts.systems[system]}
      <Text span fz="sm" c="dimmed">
        {` · ${isGeneric ? texts.generic : texts.manufacturer}`}
      </Text>
    </Text>
  )
}

/** The text of a code in two lines, which is what a row has room for; what does not fit can be pointed at. */
export function Meaning({ text }: Pick<Fault, 'text'>) {
  const texts = useTexts('faults')
  return (
    <Text
      span
      fz="sm"
      lh={1.2}
      my={-4}
      lineClamp={2}
      style={{ whiteSpace: 'normal' }}
      title={text}
      c={text === '' ? 'dimmed' : undefined}
    >
      {text || texts.unknown}
    </Text>
  )
}

export function Age({ timeMs, nowMs }: { timeMs: number; nowMs: number }) {
  const language = useLanguage()
  return (
    <time dateTime={new Date(timeMs).toISOString()} title={formatDateTime(timeMs, language)}>
      {formatAge(timeMs, nowMs, language)}
    </time>
  )
}
