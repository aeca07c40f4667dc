import type { Incident } from '../api/types.ts'

export type Severity = Incident['severity']

/** From the one that matters most to the one that matters least. */
export const SEVERITIES: readonly Severity[] = ['critical', 'warning', 'info']

/** Of marks on maps, charts and sliders; the text beside them says what happened. */
export const SEVERITY_COLORS: Readonly<Record<Severity, string>> = {
  info: '#5c6b77',
  warning: '#e8890c',
  critical: '#c92a2a',
}
