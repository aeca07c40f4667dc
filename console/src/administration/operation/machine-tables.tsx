import { Table } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Operation } from '../../api/schema.ts'
import { formatBytes, formatDateTime, formatNumber } from '../../language/format.ts'
import { useLanguage, useTexts } from '../../language/language.ts'

type Machine = NonNullable<Operation['machine']>

/** The processes of all nodes. */
export function NodesTable({ processes }: Pick<Machine, 'processes'>) {
  const texts = useTexts('operation')
  const language = useLanguage()
  return (
    <SmallTable name={texts.nodes} columns={[texts.process, texts.host, texts.since]}>
      {processes.map(({ process, host, pid, sinceTimestamp }) => (
        <Table.Tr key={`${process} ${host} ${pid}`}>
          <Table.Td>{texts.processes[process]}</Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{`${host} (${pid})`}</Table.Td>
          <Table.Td>{formatDateTime(Date.parse(sinceTimestamp), language)}</Table.Td>
        </Table.Tr>
      ))}
    </SmallTable>
  )
}

/** The servers that follow the database. */
export function StandbysTable({ standbys }: Pick<Machine, 'standbys'>) {
  const texts = useTexts('operation')
  const language = useLanguage()
  return (
    <SmallTable name={texts.standbys} columns={[texts.standby, texts.behind]}>
      {standbys.map(({ name, lagBytes }, index) => (
        <Table.Tr key={index}>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{name}</Table.Td>
          <Table.Td>{lagBytes === null ? texts.unknown : formatBytes(lagBytes, language)}</Table.Td>
        </Table.Tr>
      ))}
    </SmallTable>
  )
}

/** What waits to be stored, by account. */
export function QueuesTable({ pending }: Pick<Machine, 'pending'>) {
  const texts = useTexts('operation')
  const language = useLanguage()
  return (
    <SmallTable name={texts.queue} columns={[texts.queueOf, texts.queueLength]}>
      {pending.map(({ account, samples }) => (
        <Table.Tr key={account ?? ''}>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{account ?? texts.nobodyYet}</Table.Td>
          <Table.Td>{formatNumber(samples, language)}</Table.Td>
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
