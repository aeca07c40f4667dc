import { Badge } from '@mantine/core'
import type { Incident, Severity } from '../api/types.ts'
import { useTexts } from '../language/language.ts'
import { stateOf } from './incident.ts'

const LOOK = { variant: 'light', c: 'var(--mantine-color-text)', miw: 'max-content', tt: 'none' } as const

const BADGE_COLORS: Readonly<Record<Severity, string>> = { critical: 'red', warning: 'orange', info: 'gray' }

export function SeverityBadge({ severity }: { readonly severity: Severity }) {
  const texts = useTexts('incidents')
  return (
    <Badge {...LOOK} color={BADGE_COLORS[severity]}>
      {texts.severities[severity]}
    </Badge>
  )
}

/** Whether it is running, over or withdrawn. */
export function StateBadge({ incident }: { readonly incident: Incident }) {
  const texts = useTexts('incidents')
  const state = stateOf(incident)
  const look = state === 'open' ? { color: 'teal' } : { color: 'gray', variant: 'outline' }
  return (
    <Badge {...LOOK} {...look} title={state === 'withdrawn' ? texts.withdrawnMeaning : undefined}>
      {texts[state]}
    </Badge>
  )
}
