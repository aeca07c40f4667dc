import { Badge, Group, Stack, Table, Text, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Operation, RefusedSender, ServicePart } from '../api/schema.ts'
import { operationQuery } from '../api/service-settings.ts'
import { MapChoice } from '../base-map/map-choice.tsx'
import { Figure, Figures } from '../figures/figures.tsx'
import {
  formatBytes,
  formatDateTime,
  formatDuration,
  formatNumber,
  formatQuantity,
  formatTime,
  type Texts,
  useTexts,
} from '../language/language.ts'
import { ErrorState, Hint, LoadingState } from '../page/page.tsx'
import type { Column } from '../table/column.ts'
import { PlainTable } from '../table/plain-table.tsx'
import { WarningList } from './warnings.tsx'

/** How the service is: what works, what to do about what does not, and who was refused. */
export function OperationTab() {
  const texts = useTexts('operation')
  const mapTexts = useTexts('baseMap')
  const { data, error, refetch } = useQuery({ ...operationQuery, refetchInterval: ASK_AGAIN_MS })
  // Without its database, the service cannot identify users, so only public figures are left.
  const { data: parts = [] } = useQuery({ ...readinessQuery, enabled: error !== null })
  if (error && parts.some(({ status }) => status !== 'ready'))
    return (
      <Stack>
        <PartList parts={parts} />
        <WarningList state={{ parts, machine: null }} />
      </Stack>
    )
  if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
  return (
    <Stack gap="lg">
      <Stack gap="sm">
        <PartList parts={data.parts} asOfMs={Date.parse(data.timestamp)} />
        <WarningList state={data} />
      </Stack>
      <Section title={data.machine ? texts.machine : texts.ownAccount}>
        <Figures>
          {[...figuresOf(data, texts)].map(([label, value]) => (
            <Figure key={label} label={label}>
              {value}
            </Figure>
          ))}
        </Figures>
      </Section>
      <Section title={texts.refused}>
        <RefusedTable refused={data.refused} />
      </Section>
      {tablesOf(data, texts).map(({ title, head, body }) => (
        <Section key={title} title={title}>
          <Table maw={640} aria-label={title} style={{ overflowWrap: 'anywhere' }} data={{ head, body }} />
        </Section>
      ))}
      <Section title={mapTexts.whichMap}>
        <MapChoice />
      </Section>
    </Stack>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack component="section" gap="xs">
      <Title order={2} fz="h4">
        {title}
      </Title>
      {children}
    </Stack>
  )
}

const COLORS: Readonly<Record<ServicePart['status'], string>> = { ready: 'teal', failing: 'orange', 'not ready': 'red' }

interface PartListProps {
  readonly parts: readonly ServicePart[]
  readonly asOfMs?: number
}

function PartList({ parts, asOfMs }: PartListProps) {
  const texts = useTexts('operation')
  return (
    <Group gap="xs" role="list" aria-label={texts.parts}>
      {parts.map(({ name, status }) => (
        <Badge key={name} role="listitem" size="lg" variant="light" tt="none" color={COLORS[status]}>
          {`${texts.part[name] ?? name}: ${texts.status[status]}`}
        </Badge>
      ))}
      {asOfMs !== undefined && <Hint>{texts.asOf(formatTime(asOfMs))}</Hint>}
    </Group>
  )
}

/** Below this, all that waits is on its way. */
const AT_ONCE_S = 2

/** The figures of the machine with their names, or of what concerns the account alone. */
function* figuresOf(operation: Operation, texts: Texts<'operation'>): Generator<readonly [string, string]> {
  const { machine, pendingSamples } = operation
  const waiting = machine ? machine.pending.reduce((sum, { samples }) => sum + samples, 0) : pendingSamples
  const queue = [texts.queue, texts.samples(formatNumber(waiting))] as const
  if (!machine) return yield queue
  const { disk, databaseBytes, backup, underivedSeconds, clockDifferenceSeconds } = machine
  const known = (value: number | null, format: (value: number) => string) =>
    value === null ? texts.unknown : format(value)
  yield [
    texts.diskFree,
    disk ? texts.diskFreeOf(formatBytes(disk.freeBytes), formatBytes(disk.sizeBytes)) : texts.elsewhere,
  ]
  if (disk)
    yield [texts.daysLeft, disk.daysLeft === null ? texts.notFilling : texts.days(formatNumber(disk.daysLeft, 0))]
  yield [texts.databaseSize, known(databaseBytes, formatBytes)]
  if (backup) {
    const { ageSeconds, logLagSeconds } = backup
    yield [texts.backupAge, ageSeconds === null ? texts.notYet : texts.old(formatDuration(ageSeconds))]
    yield [texts.notInBackup, known(logLagSeconds, formatDuration)]
  } else yield [texts.backupAge, disk ? texts.noneMade : texts.elsewhere]
  yield queue
  yield [
    texts.underived,
    known(underivedSeconds, seconds => (seconds < AT_ONCE_S ? texts.nothingWaits : formatDuration(seconds))),
  ]
  yield [texts.clock, known(clockDifferenceSeconds, seconds => formatQuantity(Math.abs(seconds), 's', 2))]
}

/** The processes of all nodes, the servers that follow the database, and what waits to be stored; those of them that there are. */
function tablesOf({ machine }: Pick<Operation, 'machine'>, texts: Texts<'operation'>) {
  if (!machine) return []
  const { processes, standbys, pending } = machine
  const tables = [
    {
      title: texts.nodes,
      head: [texts.process, texts.host, texts.since],
      body: processes.map(({ process, host, pid, sinceTimestamp }) => [
        texts.processes[process],
        `${host} (${pid})`,
        formatDateTime(Date.parse(sinceTimestamp)),
      ]),
    },
    {
      title: texts.standbys,
      head: [texts.standby, texts.behind],
      body: standbys.map(({ name, lagBytes }) => [name, lagBytes === null ? texts.unknown : formatBytes(lagBytes)]),
    },
    {
      title: texts.queue,
      head: [texts.queueOf, texts.queueLength],
      body: pending.map(({ account, samples }) => [account ?? texts.nobodyYet, formatNumber(samples)]),
    },
  ]
  return tables.filter(({ body }) => body.length > 0)
}

/** Who was refused, why, and what can be done. */
function RefusedTable({ refused }: Pick<Operation, 'refused'>) {
  const texts = useTexts('operation')
  const columns: readonly Column<RefusedSender>[] = [
    { id: 'dongle', title: texts.dongle, cell: ({ deviceId }) => deviceId ?? texts.nobody },
    { id: 'when', title: texts.when, cell: ({ lastTimestamp }) => formatDateTime(Date.parse(lastTimestamp)) },
    { id: 'times', title: texts.times, cell: ({ times }) => formatNumber(times) },
    { id: 'from', title: texts.from, isWide: true, cell: ({ sender, gateway }) => withSmall(sender, gateway) },
    {
      id: 'why',
      title: texts.why,
      isWide: true,
      cell: ({ reason, why }) => withSmall(texts.reasons[reason], why, 'en'),
    },
    {
      id: 'remedy',
      title: texts.remedy,
      isWide: true,
      cell: ({ reason, isKnown }) => (reason === 'unknown device' && isKnown ? texts.knownNow : texts.remedies[reason]),
    },
  ]
  if (refused.length === 0) return <Text c="dimmed">{texts.noneRefused}</Text>
  return (
    <>
      <Hint>{texts.refusedHint}</Hint>
      <PlainTable
        label={texts.refused}
        rows={refused}
        columns={columns}
        keyOf={({ gateway, deviceId, sender, reason }) => [gateway, deviceId, sender, reason].join(' ')}
      />
    </>
  )
}

function withSmall(text: string, small: string, language?: string) {
  return (
    <>
      {text}
      <Text c="dimmed" fz="xs" lang={language}>
        {small}
      </Text>
    </>
  )
}

const ASK_AGAIN_MS = 10_000

/** What everybody may know: it also answers while the database is away and nobody can be authenticated. */
const readinessQuery = queryOptions({
  queryKey: ['administration', 'readiness'],
  queryFn: async ({ signal }): Promise<ServicePart[]> => {
    const { parts } = (await (await fetch('/readyz', { signal })).json()) as Readiness
    return Object.entries(parts).map(([name, { status, reason = null, since = null }]) => {
      return { name, status, reason, sinceTimestamp: since }
    })
  },
  refetchInterval: ASK_AGAIN_MS,
  retry: false,
})

interface Readiness {
  readonly parts: Readonly<
    Record<string, { readonly status: ServicePart['status']; readonly reason?: string; readonly since?: string }>
  >
}
