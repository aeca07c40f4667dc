import { Alert, Badge, Card, Group, ScrollArea, Stack, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconEngine } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Dtc, Vehicle } from '../api/types.ts'
import type { CarState, Reason } from '../fleet/car-state.ts'
import { formatDate } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { PageLink } from '../shell/page-link.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { vehicleDtcsQuery } from './vehicle-queries.ts'

const HEIGHT_PX = 260

interface FaultsCardProps {
  readonly vehicle: Vehicle
  readonly state: CarState
}

/** What is wrong with the car now: its fault codes with their texts, and the warning light. */
export function FaultsCard({ vehicle, state }: FaultsCardProps) {
  const texts = useTexts('car')
  const mayReadDtcs = useMay('dtcs')
  const isLampOn = isReasonOf(state, 'lamp')
  return (
    <Card withBorder component="section" aria-label={texts.faults}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} fz="h4">
            {texts.faults}
          </Title>
          {mayReadDtcs && (
            <PageLink to="/faults" fz="sm">
              {texts.allFaults}
            </PageLink>
          )}
        </Group>
        {isLampOn && (
          <Alert color="orange" icon={<IconEngine size={18} />} p="xs">
            {texts.milOn}
          </Alert>
        )}
        {mayReadDtcs ? (
          <CurrentFaults vehicleId={vehicle.id} state={state} />
        ) : (
          <Text fz="sm" c="dimmed">
            {texts.noFaultsPermission}
          </Text>
        )}
      </Stack>
    </Card>
  )
}

function CurrentFaults({ vehicleId, state }: { readonly vehicleId: string; readonly state: CarState }) {
  const texts = useTexts('car')
  const { data: dtcs, error, refetch } = useQuery(vehicleDtcsQuery(vehicleId))
  if (!dtcs) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
  if (dtcs.length === 0 && isReasonOf(state, 'unnamedCodes')) return <Text fz="sm">{texts.faultsUnnamed}</Text>
  if (dtcs.length === 0 && state.codesRead === 'unknown')
    return (
      <Text fz="sm" c="dimmed">
        {texts.faultsNotRead}
      </Text>
    )
  if (dtcs.length === 0)
    return (
      <Group gap="xs">
        <IconCircleCheck size={20} stroke={1.6} aria-hidden color="var(--mantine-color-teal-6)" />
        <Text fz="sm">{texts.noFaults}</Text>
      </Group>
    )
  return (
    <ScrollArea.Autosize mah={HEIGHT_PX} viewportProps={{ tabIndex: 0 }}>
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {dtcs.map(dtc => (
          <Fault key={dtc.id} dtc={dtc} />
        ))}
      </Stack>
    </ScrollArea.Autosize>
  )
}

function isReasonOf({ health }: CarState, kind: Reason['kind']): boolean {
  return health.kind === 'attention' && health.reasons.some(reason => reason.kind === kind)
}

function Fault({ dtc }: { readonly dtc: Dtc }) {
  const texts = useTexts('car')
  const { kinds } = useTexts('faults')
  const language = useLanguage()
  const details = [dtc.ecuType, texts.since(formatDate(Date.parse(dtc.recordedTimestamp), language))]
  return (
    <li>
      <Group gap="xs">
        <Text fw={600} fz="sm" ff="monospace">
          {dtc.code}
        </Text>
        <Badge variant="default" size="sm" tt="none">
          {kinds[dtc.dtcType]}
        </Badge>
      </Group>
      <Text fz="sm">{dtc.label || texts.noFaultText}</Text>
      <Text fz="xs" c="dimmed">
        {details.filter(Boolean).join(' · ')}
      </Text>
    </li>
  )
}
