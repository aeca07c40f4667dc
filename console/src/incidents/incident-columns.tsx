import { Box, Button, Group, Text } from '@mantine/core'
import type { Incident } from '../api/types.ts'
import { formatDateTime, formatDuration, type Texts, useTexts } from '../language/language.ts'
import { PageLink } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import type { Column } from '../table/column.ts'
import { type IncidentLine, lengthMsOf, peakText, SEVERITY_COLORS, stateOf, titleOf } from './incident.ts'
import { StateBadge } from './incident-parts.tsx'

interface ColumnsOf {
  readonly texts: Texts<'incidents'>
  readonly nowMs: number
  readonly onAcknowledge: (line: IncidentLine) => void
}

/** By this column those that go on come first; otherwise rows stay as they come, the newest first. */
export const FIRST_COLUMN = 'state'

/** What the list says of each incident. */
export function incidentColumns({ texts, nowMs, onAcknowledge }: ColumnsOf): readonly Column<IncidentLine>[] {
  // What happens at an instant lasts no time.
  const lastedText = (ms: number) => (ms === 0 ? texts.happened : texts.lasted(formatDuration(ms / 1000)))
  return [
    {
      id: 'incident',
      title: texts.incident,
      order: ({ incident }) => titleOf(incident),
      cell: line => <IncidentName line={line} />,
    },
    {
      id: 'car',
      title: texts.car,
      order: line => line.carName,
      cell: ({ incident, carName }) => <CarLink vehicleId={incident.vehicleId} name={carName} />,
    },
    {
      id: 'begin',
      title: texts.begin,
      isNumeric: true,
      order: ({ incident }) => Date.parse(incident.startTimestamp),
      cell: ({ incident }) => formatDateTime(Date.parse(incident.startTimestamp)),
    },
    {
      id: FIRST_COLUMN,
      title: texts.state,
      order: ({ incident }) => (stateOf(incident) === 'open' ? 0 : 1),
      cell: ({ incident }) =>
        stateOf(incident) === 'ended' ? lastedText(lengthMsOf(incident, nowMs)) : <StateBadge incident={incident} />,
    },
    {
      id: 'peak',
      title: texts.peak,
      isNumeric: true,
      order: ({ incident }) => incident.peak?.value,
      cell: ({ incident }) => peakText(incident),
    },
    {
      id: 'place',
      title: texts.place,
      isWide: true,
      order: line => placeOf(line) || undefined,
      cell: line => (
        <Text span fz="sm" display="block" truncate title={placeOf(line)}>
          {placeOf(line)}
        </Text>
      ),
    },
    {
      id: 'seen',
      title: texts.seen,
      order: ({ incident }) => incident.acknowledged?.timestamp,
      cell: line => {
        const { incident, carName } = line
        if (incident.acknowledged) return <SeenText acknowledged={incident.acknowledged} />
        if (stateOf(incident) === 'withdrawn') return null
        return (
          <Button
            size="compact-sm"
            variant="light"
            aria-label={texts.acknowledgeOf(titleOf(incident), carName)}
            onClick={() => onAcknowledge(line)}
          >
            {texts.acknowledgeRow}
          </Button>
        )
      },
    },
  ]
}

function placeOf({ areaName, address }: IncidentLine): string {
  return [areaName, address].filter(Boolean).join(' · ')
}

/** What happened, as a link to its page, with the rule that found it. */
function IncidentName({ line: { incident, ruleName } }: { readonly line: IncidentLine }) {
  const texts = useTexts('incidents')
  const title = titleOf(incident)
  return (
    <Group gap={8} wrap="nowrap" miw={0}>
      <Box
        w={10}
        h={10}
        bg={SEVERITY_COLORS[incident.severity]}
        style={{ borderRadius: 3, flexShrink: 0 }}
        role="img"
        aria-label={texts.severities[incident.severity]}
        title={texts.severities[incident.severity]}
      />
      <Box miw={0}>
        <PageLink
          to="/incidents/$incidentId"
          params={{ incidentId: incident.id }}
          fz="sm"
          lh={1.15}
          display="block"
          truncate
          title={title}
          td={stateOf(incident) === 'withdrawn' ? 'line-through' : undefined}
        >
          {title}
        </PageLink>
        {ruleName !== '' && ruleName !== title && (
          <Text span fz="xs" lh={1.15} c="dimmed" display="block" truncate title={ruleName}>
            {ruleName}
          </Text>
        )}
      </Box>
    </Group>
  )
}

/** The car of an incident, as a link for those who may see it. */
function CarLink({ vehicleId, name }: { readonly vehicleId: string; readonly name: string }) {
  const mayReadVehicles = useMay('vehicles')
  if (!mayReadVehicles) return name
  return (
    <PageLink to="/cars/$vehicleId" params={{ vehicleId }} fz="inherit">
      {name}
    </PageLink>
  )
}

/** Who acknowledged it, in few words. */
function SeenText({ acknowledged }: { readonly acknowledged: NonNullable<Incident['acknowledged']> }) {
  const texts = useTexts('incidents')
  const by = texts.seenBy(acknowledged.by, formatDateTime(Date.parse(acknowledged.timestamp)))
  return (
    <Text
      span
      fz="sm"
      c="dimmed"
      display="block"
      truncate
      maw={150}
      title={[by, acknowledged.note].filter(Boolean).join('\n')}
    >
      {by}
    </Text>
  )
}
