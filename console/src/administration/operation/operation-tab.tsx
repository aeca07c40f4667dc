import { Badge, Group, Stack, Text, Title } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Operation, ServicePart } from '../../api/schema.ts'
import { operationQuery } from '../../api/service-settings.ts'
import { MapChoice } from '../../base-map/map-choice.tsx'
import { formatTime, useTexts } from '../../language/language.ts'
import { ErrorState, LoadingState } from '../../page/page.tsx'
import { MachineFigures, NodesTable, QueuesTable, StandbysTable } from './machine.tsx'
import { RefusedTable } from './refused-table.tsx'
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
        <WarningList state={{ parts: [...parts], machine: null }} />
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
        <MachineFigures operation={data} />
      </Section>
      <Section title={texts.refused} hint={texts.refusedHint}>
        <RefusedTable refused={data.refused} />
      </Section>
      {data.machine && <MachineSections machine={data.machine} />}
      <Section title={mapTexts.whichMap}>
        <MapChoice />
      </Section>
    </Stack>
  )
}

function MachineSections({ machine }: { readonly machine: NonNullable<Operation['machine']> }) {
  const texts = useTexts('operation')
  return (
    <>
      <Section title={texts.nodes}>
        <NodesTable processes={machine.processes} />
      </Section>
      {machine.standbys.length > 0 && (
        <Section title={texts.standbys}>
          <StandbysTable standbys={machine.standbys} />
        </Section>
      )}
      {machine.pending.length > 0 && (
        <Section title={texts.queue}>
          <QueuesTable pending={machine.pending} />
        </Section>
      )}
    </>
  )
}

interface SectionProps {
  readonly title: string
  readonly hint?: string
  readonly children: ReactNode
}

function Section({ title, hint, children }: SectionProps) {
  return (
    <Stack component="section" gap="xs">
      <Title order={2} fz="h4">
        {title}
      </Title>
      {hint !== undefined && (
        <Text c="dimmed" fz="sm">
          {hint}
        </Text>
      )}
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
      {asOfMs !== undefined && (
        <Text c="dimmed" fz="sm">
          {texts.asOf(formatTime(asOfMs))}
        </Text>
      )}
    </Group>
  )
}

const ASK_AGAIN_MS = 10_000

/** What everybody may know: it also answers while the database is away and nobody can be authenticated. */
const readinessQuery = queryOptions({
  queryKey: ['administration', 'readiness'],
  queryFn: async ({ signal }) => partsIn(await (await fetch('/readyz', { signal })).json()),
  refetchInterval: ASK_AGAIN_MS,
  retry: false,
})

function partsIn(body: unknown): readonly ServicePart[] {
  const parts = field(body, 'parts')
  return Object.entries(typeof parts === 'object' && parts !== null ? parts : {}).map(([name, part]) => {
    const [status, reason, since] = ['status', 'reason', 'since'].map(key => field(part, key))
    return {
      name,
      status: status === 'ready' || status === 'failing' ? status : 'not ready',
      reason: typeof reason === 'string' ? reason : null,
      sinceTimestamp: typeof since === 'string' ? since : null,
    }
  })
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}
