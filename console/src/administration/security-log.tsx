import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconShieldCheck } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { askPage } from '../api/request.ts'
import type { SecurityLine } from '../api/schema.ts'
import { startOfDayMs } from '../calendar/days.ts'
import { useCarDirectory } from '../fleet/use-cars.ts'
import { formatDate, formatTime, type Texts, useTexts } from '../language/language.ts'
import { EmptyState, ErrorState, LoadingState } from '../page/page.tsx'
import type { Column } from '../table/column.ts'
import { DateField } from '../table/filters.tsx'
import { PlainTable } from '../table/plain-table.tsx'

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
  const texts = useTexts('securityLog')
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
  const field = (name: 'kind' | 'caller') => ({
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
        {(['from', 'to'] as const).map(name => (
          <DateField
            key={name}
            label={texts[name]}
            value={filter[name]}
            onChange={day => setFilter({ ...filter, [name]: day })}
          />
        ))}
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
        <LineTable lines={lines} texts={texts} />
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
  readonly texts: Texts<'securityLog'>
}

function LineTable({ lines, texts }: LineTableProps) {
  const administration = useTexts('administration')
  const cars = useCarDirectory()
  const nameOf = (vehicleId: string) => cars.get(vehicleId)?.name ?? vehicleId
  const timeText = (timeMs: number) => `${formatDate(timeMs)}, ${formatTime(timeMs)}`
  const columns: readonly Column<SecurityLine>[] = [
    { id: 'time', title: texts.time, cell: line => timeText(Date.parse(line.timestamp)) },
    { id: 'kind', title: texts.kind, cell: line => texts.kinds[line.kind] },
    { id: 'about', title: texts.about, isWide: true, cell: line => lineAbout(line, texts, nameOf) },
    { id: 'caller', title: texts.caller, cell: line => line.caller.name },
    { id: 'address', title: texts.address, cell: line => line.address ?? '' },
  ]
  return <PlainTable label={administration['security-log']} rows={lines} columns={columns} keyOf={({ id }) => id} />
}

function kindChoices({ kinds }: Texts<'securityLog'>) {
  return (Object.entries(kinds) as [SecurityLine['kind'], string][]).map(([value, label]) => ({ value, label }))
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

/**
 * What a line is about: a user, a key, a car, a file; empty where it is about the one who did it.
 * @param nameOf the name of a car by its id; the id itself when the car is gone
 */
export function lineAbout(
  { kind, details }: Pick<SecurityLine, 'kind' | 'details'>,
  texts: Pick<Texts<'securityLog'>, 'everyVehicle' | 'ofTrip' | 'ofDongle'> & {
    readonly files: Readonly<Record<string, string>>
  },
  nameOf: (vehicleId: string) => string,
): string {
  const { email, keyName, deviceId, vehicleId, object, count } = details as Readonly<Record<string, unknown>>
  if (typeof object === 'string') {
    if (kind === 'data-exported') return Object.entries(texts.files).find(([file]) => file === object)?.[1] ?? object
    if (object === 'every vehicle') return texts.everyVehicle
    const [, what, id = ''] = /^(trip|device) (\d+)$/.exec(object) ?? []
    return what === undefined ? nameOf(object) : what === 'trip' ? texts.ofTrip(id) : texts.ofDongle(id)
  }
  const car = typeof vehicleId === 'string' ? nameOf(vehicleId) : undefined
  const parts = [email, keyName, deviceId, car, count].filter(
    part => typeof part === 'string' || typeof part === 'number',
  )
  return parts.join(' → ')
}
