import { Alert, Card, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Incident, IncidentExplanation } from '../api/types.ts'
import { formatDateTime } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { parameterText } from '../rules/parameter-text.ts'
import { useRuleKinds } from '../rules/use-rules.ts'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { MeasuredThen } from '../trip/explanation-view.tsx'
import { incidentExplanationQuery } from './incidents-query.ts'

interface IncidentExplanationViewProps {
  readonly incident: Incident
  /** Names by id. */
  readonly areas: ReadonlyMap<string, string>
}

/** Why it is an incident: the rule that held then, and what was measured. */
export function IncidentExplanationView({ incident, areas }: IncidentExplanationViewProps) {
  const texts = useTexts('incidents')
  const language = useLanguage()
  const { data, error, refetch } = useQuery(incidentExplanationQuery(incident.id))
  if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
  const { rule, remarks, decidedTimestamp, samples } = data
  const time = (timestamp: string) => formatDateTime(Date.parse(timestamp), language)
  const held =
    rule.heldToTimestamp === null
      ? texts.heldFrom(time(rule.heldFromTimestamp), rule.savedBy)
      : texts.heldFromTo(time(rule.heldFromTimestamp), time(rule.heldToTimestamp), rule.savedBy)
  return (
    <Card withBorder component="section" aria-label={texts.why}>
      <Stack gap="sm">
        <Title order={2} fz="h4">
          {texts.why}
        </Title>
        {remarks.map(remark => (
          <Alert key={remark} color="yellow">
            {remark}
          </Alert>
        ))}
        <Text>{rule.description}</Text>
        <Text fz="sm" c="dimmed">
          {`${texts.ruleVersion(rule.name, rule.version)}. ${held}`}
        </Text>
        {rule.parameters.length > 0 && <Parameters of={rule.parameters} kindName={incident.kind} areas={areas} />}
        {data.state !== 'WITHDRAWN' && (
          <Text fz="sm" c="dimmed">
            {decidedTimestamp === null ? texts.undecided : texts.decided(time(decidedTimestamp))}
          </Text>
        )}
        {samples.map(sample => (
          <div key={sample.of}>
            <Text fz="sm" fw={600}>
              {`${texts.samples[sample.of]}, ${time(sample.recordedTimestamp)}`}
            </Text>
            <MeasuredThen events={sample.events} />
          </div>
        ))}
      </Stack>
    </Card>
  )
}

interface ParametersProps {
  readonly of: IncidentExplanation['rule']['parameters']
  readonly kindName: string
  readonly areas: ReadonlyMap<string, string>
}

/** What the rule asked for, and why the default is what it is. */
function Parameters({ of: parameters, kindName, areas }: ParametersProps) {
  const texts = useTexts('incidents')
  const ruleTexts = useTexts('rules')
  const language = useLanguage()
  const kind = useRuleKinds().find(({ name }) => name === kindName)
  return (
    <Table aria-label={texts.parameters} layout="auto">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.parameters}</Table.Th>
          <Table.Th>{texts.value}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {parameters.map(({ name, label, value, unit, isDefault, reason }) => (
          <Table.Tr key={name}>
            <Table.Td>
              {label}
              {isDefault && (
                <Text fz="xs" c="dimmed">
                  {reason}
                </Text>
              )}
            </Table.Td>
            <Table.Td style={{ verticalAlign: 'top' }}>
              {parameterText(
                value,
                unit,
                kind?.parameters.find(each => each.name === name),
                {
                  language,
                  texts: ruleTexts,
                  areas,
                },
              )}
              {isDefault && (
                <Text span fz="xs" c="dimmed">
                  {` (${texts.usual})`}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
