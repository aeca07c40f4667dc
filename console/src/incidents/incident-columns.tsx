import { Button, Text } from '@mantine/core'
import { formatDateTime, formatDuration } from '../language/format.ts'
import type { Language, Texts } from '../language/language.ts'
import type { Column } from '../table/column.ts'
import { type IncidentLine, peakText, titleOf } from './incident-line.ts'
import { lengthMsOf, stateOf } from './incident-list.ts'
import { CarLink, IncidentName, SeenText, StateBadge } from './incident-parts.tsx'

interface ColumnsOf {
  readonly texts: Texts<'incidents'>
  readonly language: Language
  readonly nowMs: number
  readonly onAcknowledge: (line: IncidentLine) => void
}

/** By this column those that go on come first; otherwise rows stay as they come, the newest first. */
export const FIRST_COLUMN = 'state'

/** What the list says of each incident. */
export function incidentColumns({ texts, language, nowMs, onAcknowledge }: ColumnsOf): readonly Column<IncidentLine>[] {
  // What happens at an instant lasts no time.
  const lastedText = (ms: number) => (ms === 0 ? texts.happened : texts.lasted(formatDuration(ms / 1000)))
  return [
    {
      id: 'incident',
      isWide: true,
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
      cell: ({ incident }) => formatDateTime(Date.parse(incident.startTimestamp), language),
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
      cell: ({ incident }) => peakText(incident, language),
    },
    {
      id: 'place',
      title: texts.place,
      order: line => placeOf(line) || undefined,
      cell: line => (
        <Text span fz="sm" display="block" maw={100} truncate title={placeOf(line)}>
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
