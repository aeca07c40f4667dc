import { Button, Group, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconShieldCheck } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askPage } from '../../api/request.ts'
import type { SecurityLine } from '../../api/schema.ts'
import { startOfDayMs } from '../../calendar/days.ts'
import { formatDate, formatTime } from '../../language/format.ts'
import { type Language, useLanguage, useTexts } from '../../language/language.ts'
import { EmptyState } from '../../states/empty-state.tsx'
import { ErrorState } from '../../states/error-state.tsx'
import { LoadingState } from '../../states/loading-state.tsx'
import { administrationTexts } from '../texts.ts'
import { lineAbout } from './line-about.ts'
import { type SecurityKind, type SecurityLogTexts, securityLogTexts } from './texts.ts'

const PAGE_SIZE = 100
const TYPING_MS = 300

interface Filter {
  readonly kind: string
  readonly caller: string
  /** Days as `YYYY-MM-DD`, both included; empty for all. */
  readonly from: string
  readonly to: string
}

/** Who did what in the account, the newest first. */
export function SecurityLogTab() {
  const texts = useTexts(securityLogTexts)
  const language = useLanguage()
  const [filter, setFilter] = useState<Filter>({ kind: '', caller: '', from: '', to: '' })
  const [asked] = useDebouncedValue(filter, TYPING_MS)
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['administration', 'security-log', asked],
    queryFn: ({ pageParam, signal }) =>
      askPage('GET /admin/security-log', { query: queryOf(asked), next: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next,
  })
  const lines = data?.pages.flatMap(({ reply }) => reply.lines)
  const field = (name: keyof Filter) => ({
    value: filter[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setFilter({ ...filter, [name]: event.currentTarget.value }),
  })
  return (
    <Stack>
      <Text c="dimmed" fz="sm">
        {texts.hint}
      </Text>
      <Group align="flex-end">
        <NativeSelect
          label={texts.kind}
          data={[{ value: '', label: texts.everyKind }, ...kindChoices(texts)]}
          {...field('kind')}
        />
        <TextInput
          label={texts.caller}
          placeholder={texts.callerFilter}
          w={{ base: '100%', xs: 320 }}
          {...field('caller')}
        />
        <TextInput type="date" label={texts.from} {...field('from')} />
        <TextInput type="date" label={texts.to} {...field('to')} />
      </Group>
      {!lines ? (
        error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <LoadingState />
        )
      ) : lines.length === 0 ? (
        <EmptyState icon={IconShieldCheck} title={texts.none} hint={texts.noneHint} />
      ) : (
        <LineTable lines={lines} texts={texts} language={language} />
      )}
      {hasNextPage && (
        <Group justify="center">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {texts.more}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

interface LineTableProps {
  readonly lines: readonly SecurityLine[]
  readonly texts: SecurityLogTexts
  readonly language: Language
}

function LineTable({ lines, texts, language }: LineTableProps) {
  const { securityLog } = useTexts(administrationTexts)
  return (
    <Table.ScrollContainer minWidth={720}>
      <Table highlightOnHover aria-label={securityLog}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.time}</Table.Th>
            <Table.Th>{texts.kind}</Table.Th>
            <Table.Th>{texts.about}</Table.Th>
            <Table.Th>{texts.caller}</Table.Th>
            <Table.Th>{texts.address}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(line => {
            const timeMs = Date.parse(line.timestamp)
            return (
              <Table.Tr key={line.id}>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>
                  {`${formatDate(timeMs, language)}, ${formatTime(timeMs, language)}`}
                </Table.Td>
                <Table.Td>{texts.kinds[line.kind]}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{lineAbout(line, texts)}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{line.caller.name}</Table.Td>
                <Table.Td>{line.address ?? ''}</Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function kindChoices({ kinds }: SecurityLogTexts) {
  return (Object.entries(kinds) as [SecurityKind, string][]).map(([value, label]) => ({ value, label }))
}

function queryOf({ kind, caller, from, to }: Filter) {
  return {
    maxResults: PAGE_SIZE,
    kind,
    caller: caller.trim(),
    fromTimestamp: from === '' ? '' : new Date(startOfDayMs(from)).toISOString(),
    toTimestamp: to === '' ? '' : new Date(startOfDayMs(to, 1) - 1).toISOString(),
  }
}
