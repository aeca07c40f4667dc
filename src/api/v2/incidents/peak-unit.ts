import { eventTypeByName } from '../../../catalogue/event-types.ts'
import { ruleKindByName } from '../../../catalogue/rule-kinds/index.ts'

/** The unit of the peak values of what a rule finds; empty where there are none. @param parameters of the rule */
export function peakUnitOf(kind: string, parameters: Readonly<Record<string, unknown>>): string {
  const known = ruleKindByName(kind)
  if (known?.peakUnit !== null) return known?.peakUnit ?? ''
  const named = known.parameters.find(({ type }) => type === 'eventType')
  const eventType = named && parameters[named.name]
  return (typeof eventType === 'string' ? eventTypeByName(eventType)?.unit : undefined) ?? ''
}
