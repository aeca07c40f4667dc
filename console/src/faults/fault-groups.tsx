import { Group, Table, Text, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { formatDateTime, formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { ROW_PX, VirtualTable, WIDE_CELL } from '../table/virtual-table.tsx'
import { type Fault, type FaultGroup, groupedBy } from './fault.ts'
import { Age, CarName, CodeArea, CodeText, KindBadge, Meaning } from './fault-columns.tsx'

interface FaultGroupsProps {
  readonly by: 'code' | 'car'
  readonly faults: readonly Fault[]
  readonly lampIds: ReadonlySet<string>
  readonly nowMs: number
  readonly height: string
}

type Line = { readonly group: FaultGroup; readonly isOpen: boolean } | { readonly fault: Fault }

/** Codes with the cars that have them, or cars with their codes: one line each, which opens. */
export function FaultGroups({ by, faults, lampIds, nowMs, height }: FaultGroupsProps) {
  const texts = useTexts('faults')
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const groups = useMemo(() => groupedBy(by, faults), [by, faults])
  const lines = useMemo(() => linesOf(groups, open), [groups, open])
  const toggle = (id: string) => setOpen(before => (before.has(id) ? without(before, id) : new Set([...before, id])))
  return (
    <VirtualTable
      label={texts.groupings[by]}
      height={height}
      rowCount={lines.length}
      columnCount={4}
      head={
        <>
          <Table.Th>{by === 'code' ? texts.code : texts.car}</Table.Th>
          <Table.Th>{by === 'code' ? texts.meaning : texts.code}</Table.Th>
          <Table.Th ta="right">{texts.count}</Table.Th>
          <Table.Th ta="right">{texts.latest}</Table.Th>
        </>
      }
      renderRow={index => {
        const line = lines[index]
        if (!line) return null
        if ('group' in line) {
          const { group, isOpen } = line
          const { id } = group
          return <GroupRow key={id} {...{ by, group, isOpen, index, lampIds, nowMs }} onToggle={() => toggle(id)} />
        }
        return <FaultRow key={line.fault.id} {...{ by, index, lampIds, nowMs }} fault={line.fault} />
      }}
    />
  )
}

interface RowProps extends Pick<FaultGroupsProps, 'by' | 'lampIds' | 'nowMs'> {
  readonly index: number
}

interface GroupRowProps extends RowProps {
  readonly group: FaultGroup
  readonly isOpen: boolean
  readonly onToggle: () => void
}

function GroupRow({ by, group, isOpen, index, lampIds, nowMs, onToggle }: GroupRowProps) {
  const texts = useTexts('faults')
  const language = useLanguage()
  const [first] = group.faults
  const Chevron = isOpen ? IconChevronDown : IconChevronRight
  const name = by === 'code' ? first.code : first.carName
  const count = by === 'code' ? group.cars : group.codes
  const counted = (by === 'code' ? texts.carCount : texts.codeCount)(count, formatNumber(count, language))
  const newestMs = group.faults.reduce((newest, { sinceMs }) => Math.max(newest, sinceMs), first.sinceMs)
  return (
    <Table.Tr aria-rowindex={index + 2} h={ROW_PX}>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <Group gap="xs" wrap="nowrap">
          <UnstyledButton
            aria-expanded={isOpen}
            aria-label={`${name}: ${counted}`}
            onClick={onToggle}
            display="inline-flex"
          >
            <Chevron size={18} aria-hidden />
          </UnstyledButton>
          {by === 'code' ? (
            <CodeText code={first.code} />
          ) : (
            <CarName vehicleId={first.vehicleId} name={first.carName} isLampOn={lampIds.has(first.vehicleId)} />
          )}
        </Group>
      </Table.Td>
      <Table.Td style={WIDE_CELL}>
        {by === 'code' ? <Meaning text={first.text} /> : <CodesOf faults={group.faults} />}
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
        {counted}
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
        <Age timeMs={newestMs} nowMs={nowMs} />
      </Table.Td>
    </Table.Tr>
  )
}

function CodesOf({ faults }: { readonly faults: readonly Fault[] }) {
  return (
    <Text span fz="sm" ff="monospace" display="block" truncate>
      {[...new Set(faults.map(({ code }) => code))].join(' ')}
    </Text>
  )
}

function FaultRow({ by, fault, index, lampIds, nowMs }: RowProps & { readonly fault: Fault }) {
  const texts = useTexts('faults')
  const language = useLanguage()
  return (
    <Table.Tr aria-rowindex={index + 2} h={ROW_PX} bg="var(--mantine-color-default-hover)">
      <Table.Td pl={44} style={{ whiteSpace: 'nowrap' }}>
        {by === 'code' ? (
          <CarName vehicleId={fault.vehicleId} name={fault.carName} isLampOn={lampIds.has(fault.vehicleId)} />
        ) : (
          <CodeText code={fault.code} />
        )}
      </Table.Td>
      <Table.Td style={WIDE_CELL}>
        <Group gap="sm" wrap="nowrap">
          {by === 'code' ? fault.makeAndModel : <Meaning text={fault.text} />}
          {by === 'car' && <CodeArea code={fault.code} />}
        </Group>
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
        <Group gap="sm" wrap="nowrap" justify="flex-end">
          {fault.ecu}
          <KindBadge kind={fault.kind} />
        </Group>
      </Table.Td>
      <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }} title={fault.goneMs === undefined ? '' : texts.untilHint}>
        {fault.goneMs === undefined ? (
          <Age timeMs={fault.sinceMs} nowMs={nowMs} />
        ) : (
          `${formatDateTime(fault.sinceMs, language)} – ${formatDateTime(fault.goneMs, language)}`
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function linesOf(groups: readonly FaultGroup[], open: ReadonlySet<string>): readonly Line[] {
  return groups.flatMap((group): readonly Line[] => {
    const isOpen = open.has(group.id)
    return [{ group, isOpen }, ...(isOpen ? group.faults.map(fault => ({ fault })) : [])]
  })
}

function without(open: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...open].filter(other => other !== id))
}
