import { Card, Group, Stack, Table, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconShieldCheck } from '@tabler/icons-react'
import type { Operation, RefusedSender } from '../../api/schema.ts'
import { formatDateTime, formatNumber, type Texts, useTexts } from '../../language/language.ts'
import { EmptyState } from '../../page/page.tsx'

/** Who was refused, why, and what can be done: a table, or cards where a table would be too wide. */
export function RefusedTable({ refused }: Pick<Operation, 'refused'>) {
  const texts = useTexts('operation')
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  if (refused.length === 0)
    return <EmptyState icon={IconShieldCheck} title={texts.noneRefused} hint={texts.noneRefusedHint} />
  if (isPhone)
    return (
      <Stack gap="xs">
        {refused.map(sender => (
          <RefusedCard key={keyOf(sender)} sender={sender} />
        ))}
      </Stack>
    )
  return (
    <Table.ScrollContainer minWidth={720} type="native">
      <Table highlightOnHover verticalSpacing="sm" aria-label={texts.refused}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.when}</Table.Th>
            <Table.Th>{texts.times}</Table.Th>
            <Table.Th>{texts.dongle}</Table.Th>
            <Table.Th>{texts.from}</Table.Th>
            <Table.Th>{texts.why}</Table.Th>
            <Table.Th>{texts.remedy}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {refused.map(sender => (
            <RefusedRow key={keyOf(sender)} sender={sender} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function RefusedRow({ sender }: { readonly sender: RefusedSender }) {
  const texts = useTexts('operation')
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{formatDateTime(Date.parse(sender.lastTimestamp))}</Table.Td>
      <Table.Td>{formatNumber(sender.times)}</Table.Td>
      <Table.Td>{sender.deviceId ?? texts.nobody}</Table.Td>
      <Table.Td style={{ overflowWrap: 'break-word' }}>
        {sender.sender}
        <Text c="dimmed" fz="xs">
          {sender.gateway}
        </Text>
      </Table.Td>
      <Table.Td>
        <Why sender={sender} />
      </Table.Td>
      <Table.Td>{remedyOf(sender, texts)}</Table.Td>
    </Table.Tr>
  )
}

function RefusedCard({ sender }: { readonly sender: RefusedSender }) {
  const texts = useTexts('operation')
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" align="baseline">
        <Text fw={600}>{sender.deviceId ?? texts.nobody}</Text>
        <Text c="dimmed" fz="xs">
          {formatDateTime(Date.parse(sender.lastTimestamp))}
        </Text>
      </Group>
      <Text c="dimmed" fz="xs" style={{ overflowWrap: 'anywhere' }}>
        {[sender.gateway, sender.sender, texts.timesRefused(formatNumber(sender.times))].join(' · ')}
      </Text>
      <Why sender={sender} />
      <Text mt={6} fz="sm">
        {remedyOf(sender, texts)}
      </Text>
    </Card>
  )
}

function Why({ sender: { reason, why } }: { readonly sender: RefusedSender }) {
  const texts = useTexts('operation')
  return (
    <Stack gap={0}>
      <span>{texts.reasons[reason]}</span>
      <Text c="dimmed" fz="xs" lang="en" style={{ overflowWrap: 'anywhere' }}>
        {why}
      </Text>
    </Stack>
  )
}

function keyOf({ gateway, deviceId, sender, reason }: RefusedSender): string {
  return [gateway, deviceId, sender, reason].join(' ')
}

function remedyOf({ reason, isKnown }: RefusedSender, texts: Texts<'operation'>): string {
  return reason === 'unknown device' && isKnown ? texts.knownNow : texts.remedies[reason]
}
