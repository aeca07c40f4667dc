import { Badge, Box, Group, Text } from '@mantine/core'
import { IconEngine } from '@tabler/icons-react'
import { formatAge, formatDateTime, formatDuration, type Texts, useTexts } from '../language/language.ts'
import { CarLink } from '../page/page.tsx'
import { type Column, numberColumn, textColumn } from '../table/column.ts'
import { TwoLines } from '../table/plain-table.tsx'
import { codeSystemOf, type Fault } from './fault.ts'

/** What the list says of each code that is reported now, or of each that is gone. */
export function faultColumns(
  texts: Texts<'faults'>,
  isHistory: boolean,
  nowMs: number,
  lampIds: ReadonlySet<string>,
): readonly Column<Fault>[] {
  const lastedMs = ({ sinceMs, goneMs }: Fault) => (goneMs === undefined ? undefined : goneMs - sinceMs)
  const times = isHistory
    ? [
        numberColumn<Fault>('since', texts.from, fault => fault.sinceMs, formatDateTime),
        numberColumn<Fault>('until', texts.until, fault => fault.goneMs, formatDateTime),
        numberColumn<Fault>('lasted', texts.lasted, lastedMs, ms => formatDuration(ms / 1000)),
      ]
    : [
        numberColumn<Fault>(
          'since',
          texts.since,
          fault => fault.sinceMs,
          timeMs => <Age timeMs={timeMs} nowMs={nowMs} />,
        ),
      ]
  return [
    {
      ...textColumn('car', texts.car, fault => fault.carName),
      cell: fault => <CarName {...fault} isLampOn={lampIds.has(fault.vehicleId)} />,
    },
    { ...textColumn('code', texts.code, fault => fault.code), cell: fault => <CodeText code={fault.code} /> },
    {
      ...textColumn('meaning', texts.meaning, fault => fault.label),
      isWide: true,
      cell: fault => <Meaning text={fault.label} />,
    },
    ...times,
    {
      ...textColumn('kind', texts.kind, fault => texts.kinds[fault.dtcType]),
      cell: fault => <KindBadge kind={fault.dtcType} />,
    },
    {
      ...textColumn('ecu', texts.ecu, fault => fault.ecuType),
      cell: fault => fault.ecuType && <TwoLines>{fault.ecuType}</TwoLines>,
    },
  ]
}

interface CarNameProps extends Pick<Fault, 'vehicleId' | 'carName'> {
  readonly isLampOn: boolean
}

/** The car of a fault. */
export function CarName({ vehicleId, carName, isLampOn }: CarNameProps) {
  const texts = useTexts('faults')
  return (
    <Group gap={6} wrap="nowrap">
      <CarLink vehicleId={vehicleId} name={carName} />
      {isLampOn && (
        <Text span c="orange" display="inline-flex" title={texts.lampOn}>
          <IconEngine size={18} stroke={1.8} role="img" aria-label={texts.lampOn} />
        </Text>
      )}
    </Group>
  )
}

const KIND_COLORS: Readonly<Record<Fault['dtcType'], string>> = {
  PERMANENT: 'orange',
  SPORADIC: 'yellow',
  FREEZEFRAME: 'gray',
}

export function KindBadge({ kind }: { readonly kind: Fault['dtcType'] }) {
  const texts = useTexts('faults')
  return (
    <Badge
      color={KIND_COLORS[kind]}
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

/** A code with the part of the car that it is about below it. */
export function CodeText({ code }: Pick<Fault, 'code'>) {
  const texts = useTexts('faults')
  const known = codeSystemOf(code)
  return (
    <Box lh={1.2} my={-4} title={known && (known.isGeneric ? texts.genericMeaning : texts.manufacturerMeaning)}>
      <Text fz="sm" fw={600} ff="monospace" lh="inherit">
        {code}
      </Text>
      {known && (
        <Text fz="xs" c="dimmed" lh="inherit">
          {`${texts.systems[known.system]} · ${known.isGeneric ? texts.generic : texts.manufacturer}`}
        </Text>
      )}
    </Box>
  )
}

/** The text of a code. */
export function Meaning({ text }: { readonly text: string }) {
  const texts = useTexts('faults')
  return <TwoLines c={text === '' ? 'dimmed' : undefined}>{text || texts.unknown}</TwoLines>
}

export function Age({ timeMs, nowMs }: { timeMs: number; nowMs: number }) {
  return (
    <time dateTime={new Date(timeMs).toISOString()} title={formatDateTime(timeMs)}>
      {formatAge(timeMs, nowMs)}
    </time>
  )
}
