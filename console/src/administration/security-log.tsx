import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { IconShieldCheck } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { askPage } from '../api/request.ts'
import type { SecurityLine } from '../api/schema.ts'
import { dayOf, startOfDayMs } from '../calendar/days.ts'
import { ExportMenu } from '../export/export-menu.tsx'
import { everyPage, fileNameOf } from '../export/files.ts'
import { useCarDirectory } from '../fleet/use-cars.ts'
import { formatDate, formatTime, type Texts, timeZoneHere, useTexts } from '../language/language.ts'
import { EmptyState, ErrorState, Hint, LoadingState } from '../page/page.tsx'
import { DateField } from '../table/filters.tsx'
import { PlainTable } from '../table/plain-table.tsx'

const PAGE_SIZE = 100
const TYPING_MS = 300

/** Days as `YYYY-MM-DD`, both included. */
const EVERYTHING = { kind: '', caller: '', from: '', to: '' }

/** Who did what in the account, the newest first. */
export function SecurityLogTab() {
  const texts = useTexts('securityLog')
  const title = useTexts('administration')['security-log']
  const cars = useCarDirectory()
  const form = useForm({ initialValues: EVERYTHING })
  const [asked] = useDebouncedValue(form.values, TYPING_MS)
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['administration', 'security-log', asked],
    queryFn: ({ pageParam, signal }) => askLines(asked, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next,
  })
  const lines = data?.pages.flatMap(({ items }) => items)
  const columns = columnsOf(texts, vehicleId => cars.get(vehicleId)?.name ?? vehicleId)
  return (
    <Stack>
      <Hint>{texts.hint}</Hint>
      <Group align="flex-end">
        <NativeSelect
          label={texts.kind}
          data={[
            { value: '', label: texts.everyKind },
            ...Object.entries(texts.kinds).map(([value, label]) => ({ value, label })),
          ]}
          {...form.getInputProps('kind')}
        />
        <TextInput
          label={texts.caller}
          placeholder={texts.callerFilter}
          w={{ base: '100%', xs: 320 }}
          {...form.getInputProps('caller')}
        />
        <Group gap="xs" wrap="nowrap">
          {(['from', 'to'] as const).map(name => (
            <DateField key={name} label={texts[name]} {...form.getInputProps(name)} value={form.values[name]} />
          ))}
        </Group>
        <ExportMenu
          file="security-log"
          disabled={!lines?.length}
          source={() => ({
            fileName: fileNameOf([title, dayOf(Date.now())]),
            titles: columns.map(column =>
              column.id === 'time' ? `${column.title} (${timeZoneHere()})` : column.title,
            ),
            pages: async function* (signal) {
              for await (const page of everyPage(next => askLines(form.values, next, signal), signal))
                yield page.map(line => columns.map(({ value }) => value(line)))
            },
          })}
        />
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
        <PlainTable
          label={title}
          rows={lines}
          columns={columns.map(({ value, ...column }) => ({
            ...column,
            cell: (line: SecurityLine) => textOf(value(line)),
          }))}
          keyOf={({ id }) => id}
        />
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

async function askLines({ kind, caller, from, to }: typeof EVERYTHING, next: string | undefined, signal: AbortSignal) {
  const query = {
    maxResults: PAGE_SIZE,
    kind,
    caller: caller.trim(),
    fromTimestamp: from === '' ? '' : new Date(startOfDayMs(from)).toISOString(),
    toTimestamp: to === '' ? '' : new Date(startOfDayMs(to, 1) - 1).toISOString(),
  }
  const page = await askPage('GET /admin/security-log', { query, next, signal })
  return { items: page.reply.lines, next: page.next }
}

function columnsOf(texts: Texts<'securityLog'>, nameOf: (vehicleId: string) => string) {
  return [
    { id: 'time', title: texts.time, value: (line: SecurityLine) => new Date(line.timestamp) },
    { id: 'kind', title: texts.kind, value: (line: SecurityLine) => texts.kinds[line.kind] },
    { id: 'about', title: texts.about, isWide: true, value: (line: SecurityLine) => lineAbout(line, texts, nameOf) },
    { id: 'caller', title: texts.caller, value: (line: SecurityLine) => line.caller.name },
    { id: 'address', title: texts.address, value: (line: SecurityLine) => line.address ?? '' },
  ]
}

function textOf(value: string | Date): string {
  return value instanceof Date ? `${formatDate(value.getTime())}, ${formatTime(value.getTime())}` : value
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
