import { Box, Group, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { formatDateTime, formatNumber, type Texts, useTexts } from '../language/language.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { TwoLines } from '../table/plain-table.tsx'
import { type Fault, type FaultGroup, groupedBy } from './fault.ts'
import { Age, CarName, CodeText, KindBadge, Meaning } from './fault-columns.tsx'

interface FaultGroupsProps {
  readonly by: 'code' | 'car'
  readonly faults: readonly Fault[]
  readonly lampIds: ReadonlySet<string>
  readonly nowMs: number
  readonly height: string
}

/** A group, or one of its faults below it while it is open. */
type Line = { readonly fault: Fault; readonly group?: FaultGroup }

/** Codes with the cars that have them, or cars with their codes: one line each, which opens. */
export function FaultGroups({ by, faults, lampIds, nowMs, height }: FaultGroupsProps) {
  const texts = useTexts('faults')
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const groups = useMemo(() => groupedBy(by, faults), [by, faults])
  const toggle = (id: string) =>
    setOpen(before => new Set(before.has(id) ? [...before].filter(other => other !== id) : [...before, id]))
  return (
    <DataTable
      label={texts.groupings[by]}
      rows={groups.flatMap((group): readonly Line[] => [
        { fault: group.faults[0], group },
        ...(open.has(group.id) ? group.faults.map(fault => ({ fault })) : []),
      ])}
      columns={groupColumns({ by, lampIds, nowMs, texts, open, toggle })}
      keyOf={({ fault, group }) => group?.id ?? fault.id}
      height={height}
    />
  )
}

interface ColumnsOf extends Pick<FaultGroupsProps, 'by' | 'lampIds' | 'nowMs'> {
  readonly texts: Texts<'faults'>
  readonly open: ReadonlySet<string>
  readonly toggle: (id: string) => void
}

function groupColumns({ by, lampIds, nowMs, texts, open, toggle }: ColumnsOf): readonly Column<Line>[] {
  const isByCode = by === 'code'
  const nameOf = (fault: Fault, isCode: boolean) =>
    isCode ? <CodeText code={fault.code} /> : <CarName {...fault} isLampOn={lampIds.has(fault.vehicleId)} />
  const countOf = ({ cars, codes }: FaultGroup) =>
    isByCode ? texts.carCount(cars, formatNumber(cars)) : texts.codeCount(codes, formatNumber(codes))
  return [
    {
      id: 'name',
      title: isByCode ? texts.code : texts.car,
      cell: ({ fault, group }) => {
        if (!group) return <Box pl={32}>{nameOf(fault, !isByCode)}</Box>
        const isOpen = open.has(group.id)
        const Chevron = isOpen ? IconChevronDown : IconChevronRight
        return (
          <Group gap="xs" wrap="nowrap">
            <UnstyledButton
              aria-expanded={isOpen}
              aria-label={`${isByCode ? fault.code : fault.carName}: ${countOf(group)}`}
              onClick={() => toggle(group.id)}
              display="inline-flex"
            >
              <Chevron size={18} aria-hidden />
            </UnstyledButton>
            {nameOf(fault, isByCode)}
          </Group>
        )
      },
    },
    {
      id: 'meaning',
      title: isByCode ? texts.meaning : texts.code,
      isWide: true,
      cell: ({ fault, group }) => {
        if (isByCode) return group ? <Meaning text={fault.label} /> : fault.makeAndModel
        if (group) return <TwoLines>{[...new Set(group.faults.map(one => one.code))].join(' ')}</TwoLines>
        return <Meaning text={fault.label} />
      },
    },
    {
      id: 'count',
      title: texts.count,
      isNumeric: true,
      cell: ({ fault, group }) =>
        group ? (
          countOf(group)
        ) : (
          <Group gap="sm" wrap="nowrap" justify="flex-end">
            {fault.ecuType}
            <KindBadge kind={fault.dtcType} />
          </Group>
        ),
    },
    {
      id: 'latest',
      title: texts.latest,
      isNumeric: true,
      cell: ({ fault, group }) => {
        if (group) return <Age timeMs={Math.max(...group.faults.map(({ sinceMs }) => sinceMs))} nowMs={nowMs} />
        if (fault.goneMs === undefined) return <Age timeMs={fault.sinceMs} nowMs={nowMs} />
        return (
          <span title={texts.untilHint}>{`${formatDateTime(fault.sinceMs)} – ${formatDateTime(fault.goneMs)}`}</span>
        )
      },
    },
  ]
}
