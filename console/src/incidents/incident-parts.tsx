import { Badge, Box, Group, Text } from '@mantine/core'
import type { Incident } from '../api/types.ts'
import { formatDateTime } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { PageLink } from '../shell/page-link.tsx'
import { type IncidentLine, titleOf } from './incident-line.ts'
import { stateOf } from './incident-list.ts'
import { SEVERITY_COLORS, type Severity } from './severity.ts'

const BADGE_COLORS: Readonly<Record<Severity, string>> = { critical: 'red', warning: 'orange', info: 'gray' }

export function SeverityBadge({ severity }: { readonly severity: Severity }) {
  const texts = useTexts('incidents')
  return (
    <Badge color={BADGE_COLORS[severity]} variant="light" c="var(--mantine-color-text)" miw="max-content" tt="none">
      {texts.severities[severity]}
    </Badge>
  )
}

/** Whether it is running, over or withdrawn. */
export function StateBadge({ incident }: { readonly incident: Incident }) {
  const texts = useTexts('incidents')
  const state = stateOf(incident)
  if (state === 'open')
    return (
      <Badge color="teal" variant="light" miw="max-content" tt="none">
        {texts.goesOn}
      </Badge>
    )
  return (
    <Badge
      color="gray"
      variant="outline"
      c="var(--mantine-color-text)"
      miw="max-content"
      tt="none"
      title={state === 'withdrawn' ? texts.withdrawnMeaning : undefined}
    >
      {texts[state]}
    </Badge>
  )
}

/** What happened, as a link to its page, with the rule that found it. */
export function IncidentName({ line: { incident, ruleName } }: { readonly line: IncidentLine }) {
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
export function CarLink({ vehicleId, name }: { readonly vehicleId: string; readonly name: string }) {
  const mayReadVehicles = useMay('vehicles')
  if (!mayReadVehicles) return name
  return (
    <PageLink to="/cars/$vehicleId" params={{ vehicleId }} fz="inherit">
      {name}
    </PageLink>
  )
}

/** Who acknowledged it, in few words. */
export function SeenText({ acknowledged }: { readonly acknowledged: NonNullable<Incident['acknowledged']> }) {
  const texts = useTexts('incidents')
  const language = useLanguage()
  const by = texts.seenBy(acknowledged.by, formatDateTime(Date.parse(acknowledged.timestamp), language))
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
