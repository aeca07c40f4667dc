import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Operation } from '../../api/schema.ts'
import { Figure, Figures } from '../../figures/figures.tsx'
import {
  formatBytes,
  formatDateTime,
  formatDuration,
  formatNumber,
  formatQuantity,
  type Texts,
  useTexts,
} from '../../language/language.ts'

/** Below this, all that waits is on its way. */
const AT_ONCE_S = 2

/** The figures of the machine, or of what concerns the account alone. */
export function MachineFigures({ operation: { machine, pendingSamples } }: { readonly operation: Operation }) {
  const texts = useTexts('operation')
  const waiting = (machine?.pending ?? []).reduce((sum, { samples }) => sum + samples, 0)
  return (
    <Figures>
      {machine && <DiskFigures machine={machine} />}
      {machine && <BackupFigures {...machine} />}
      <Figure label={texts.queue}>{texts.samples(formatNumber(machine ? waiting : pendingSamples))}</Figure>
      {machine && (
        <>
          <Figure label={texts.underived}>{underivedText(machine.underivedSeconds, texts)}</Figure>
          <Figure label={texts.clock}>{clockText(machine.clockDifferenceSeconds, texts)}</Figure>
        </>
      )}
    </Figures>
  )
}

type Machine = NonNullable<Operation['machine']>

function DiskFigures({ machine: { disk, databaseBytes } }: { readonly machine: Machine }) {
  const texts = useTexts('operation')
  return (
    <>
      <Figure label={texts.diskFree}>
        {disk ? texts.diskFreeOf(formatBytes(disk.freeBytes), formatBytes(disk.sizeBytes)) : texts.elsewhere}
      </Figure>
      {disk && (
        <Figure label={texts.daysLeft}>
          {disk.daysLeft === null ? texts.notFilling : texts.days(formatNumber(disk.daysLeft, 0))}
        </Figure>
      )}
      <Figure label={texts.databaseSize}>{databaseBytes === null ? texts.unknown : formatBytes(databaseBytes)}</Figure>
    </>
  )
}

function BackupFigures({ backup, disk }: Pick<Machine, 'backup' | 'disk'>) {
  const texts = useTexts('operation')
  if (!backup) return <Figure label={texts.backupAge}>{disk ? texts.noneMade : texts.elsewhere}</Figure>
  const { ageSeconds, logLagSeconds } = backup
  return (
    <>
      <Figure label={texts.backupAge}>
        {ageSeconds === null ? texts.notYet : texts.old(formatDuration(ageSeconds))}
      </Figure>
      <Figure label={texts.notInBackup}>
        {logLagSeconds === null ? texts.unknown : formatDuration(logLagSeconds)}
      </Figure>
    </>
  )
}

function underivedText(seconds: number | null, texts: Texts<'operation'>): string {
  if (seconds === null) return texts.unknown
  return seconds < AT_ONCE_S ? texts.nothingWaits : formatDuration(seconds)
}

function clockText(seconds: number | null, texts: Texts<'operation'>): string {
  return seconds === null ? texts.unknown : formatQuantity(Math.abs(seconds), 's', 2)
}

/** The processes of all nodes. */
export function NodesTable({ processes }: Pick<Machine, 'processes'>) {
  const texts = useTexts('operation')
  return (
    <SmallTable name={texts.nodes} columns={[texts.process, texts.host, texts.since]}>
      {processes.map(({ process, host, pid, sinceTimestamp }) => (
        <Table.Tr key={`${process} ${host} ${pid}`}>
          <Table.Td>{texts.processes[process]}</Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{`${host} (${pid})`}</Table.Td>
          <Table.Td>{formatDateTime(Date.parse(sinceTimestamp))}</Table.Td>
        </Table.Tr>
      ))}
    </SmallTable>
  )
}

/** The servers that follow the database. */
export function StandbysTable({ standbys }: Pick<Machine, 'standbys'>) {
  const texts = useTexts('operation')
  return (
    <SmallTable name={texts.standbys} columns={[texts.standby, texts.behind]}>
      {standbys.map(({ name, lagBytes }, index) => (
        <Table.Tr key={index}>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
          <Table.Td>{lagBytes === null ? texts.unknown : formatBytes(lagBytes)}</Table.Td>
        </Table.Tr>
      ))}
    </SmallTable>
  )
}

/** What waits to be stored, by account. */
export function QueuesTable({ pending }: Pick<Machine, 'pending'>) {
  const texts = useTexts('operation')
  return (
    <SmallTable name={texts.queue} columns={[texts.queueOf, texts.queueLength]}>
      {pending.map(({ account, samples }) => (
        <Table.Tr key={account ?? ''}>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{account ?? texts.nobodyYet}</Table.Td>
          <Table.Td>{formatNumber(samples)}</Table.Td>
        </Table.Tr>
      ))}
    </SmallTable>
  )
}

interface SmallTableProps {
  readonly name: string
  readonly columns: readonly string[]
  readonly children: ReactNode
}

function SmallTable({ name, columns, children }: SmallTableProps) {
  return (
    <Table maw={640} aria-label={name}>
      <Table.Thead>
        <Table.Tr>
          {columns.map(column => (
            <Table.Th key={column}>{column}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  )
}
