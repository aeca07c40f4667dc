import { Badge } from '@mantine/core'
import type { Incident, Severity } from '../api/types.ts'
import { useTexts } from '../language/language.ts'
import { stateOf } from './incident.ts'

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
