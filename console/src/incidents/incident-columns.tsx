import { Box, Group, Text } from '@mantine/core'
import type { Incident } from '../api/types.ts'
import { formatDateTime, formatDuration, type Texts, useTexts } from '../language/language.ts'
import { CarLink, PageLink } from '../page/page.tsx'
import { type Column, numberColumn, textColumn } from '../table/column.ts'
import { TwoLines } from '../table/plain-table.tsx'
import { AcknowledgeButton } from './acknowledge.tsx'
import { type IncidentLine, isUnseen, lengthMsOf, peakText, SEVERITY_COLORS, stateOf, titleOf } from './incident.ts'
import { StateBadge } from './incident-parts.tsx'

/** By this column those that go on come first; otherwise rows stay as they come, the newest first. */
export const FIRST_COLUMN = 'state'

/** What the list says of each incident. */
export function incidentColumns(
  texts: Texts<'incidents'>,
  nowMs: number,
  onAcknowledge: (line: IncidentLine) => void,
): readonly Column<IncidentLine>[] {
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
      ...textColumn('car', texts.car, line => line.carName),
      cell: ({ incident, carName }) => <CarLink vehicleId={incident.vehicleId} name={carName} />,
    },
    numberColumn('begin', texts.begin, ({ incident }) => Date.parse(incident.startTimestamp), formatDateTime),
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
      ...textColumn('place', texts.place, placeOf),
      isWide: true,
      cell: line => placeOf(line) && <TwoLines>{placeOf(line)}</TwoLines>,
    },
    {
      id: 'seen',
      title: texts.seen,
      order: ({ incident }) => incident.acknowledged?.timestamp,
      cell: line => {
        const { incident, carName } = line
        if (incident.acknowledged) return <SeenText {...incident.acknowledged} />
        return isUnseen(incident) ? (
          <AcknowledgeButton title={titleOf(incident)} carName={carName} onClick={() => onAcknowledge(line)} />
        ) : null
      },
    },
  ]
}

function placeOf({ areaName, address }: IncidentLine): string {
  return [areaName, address].filter(Boolean).join(' · ')
}

/** What happened, as a link to its page, with the rule that found it. */
function IncidentName({ line: { incident, ruleName } }: { readonly line: IncidentLine }) {
  const { severities } = useTexts('incidents')
  const title = titleOf(incident)
  return (
    <Group gap={8} wrap="nowrap">
      <Box
        w={10}
        h={10}
        bg={SEVERITY_COLORS[incident.severity]}
        style={{ borderRadius: 3, flexShrink: 0 }}
        role="img"
        aria-label={severities[incident.severity]}
        title={severities[incident.severity]}
      />
      <Box lh={1.15}>
        <PageLink
          to="/incidents/$incidentId"
          params={{ incidentId: incident.id }}
          fz="sm"
          lh="inherit"
          td={stateOf(incident) === 'withdrawn' ? 'line-through' : undefined}
        >
          {title}
        </PageLink>
        {ruleName !== '' && ruleName !== title && (
          <Text fz="xs" lh="inherit" c="dimmed">
            {ruleName}
          </Text>
        )}
      </Box>
    </Group>
  )
}

/** Who acknowledged it, and when. */
function SeenText({ by, timestamp, note }: NonNullable<Incident['acknowledged']>) {
  const texts = useTexts('incidents')
  return (
    <Text span fz="xs" lh={1.2} my={-4} c="dimmed" display="block" title={note}>
      {texts.by(by)}
      <br />
      {formatDateTime(Date.parse(timestamp))}
    </Text>
  )
}
