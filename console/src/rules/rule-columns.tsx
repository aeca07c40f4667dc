import { ActionIcon, Group, Text } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import type { Rule, RuleKind } from '../api/types.ts'
import { SeverityBadge } from '../incidents/incident-parts.tsx'
import { SEVERITIES } from '../incidents/severity.ts'
import { formatDate, formatNumber } from '../language/format.ts'
import type { Language, Texts } from '../language/language.ts'
import { PageLink } from '../shell/page-link.tsx'
import type { Column } from '../table/column.ts'
import { parameterText } from './parameter-text.ts'

/** A rule with its kind. */
interface RuleLine {
  readonly rule: Rule
  readonly kind: RuleKind | undefined
}

interface ColumnsOf {
  readonly texts: Texts<'rules'>
  readonly language: Language
  /** Names by id. */
  readonly areas: ReadonlyMap<string, string>
  readonly mayReadIncidents: boolean
  readonly onChange: (rule: Rule) => void
  readonly onRemove: (rule: Rule) => void
}

/** What the list says of each rule. */
export function ruleColumns(of: ColumnsOf): readonly Column<RuleLine>[] {
  const { texts, language, mayReadIncidents, onChange, onRemove } = of
  return [
    {
      id: 'name',
      title: texts.rule,
      order: ({ rule }) => rule.name,
      cell: ({ rule }) => (
        <Text span fz="sm" fw={600} display="block" maw={240} truncate title={rule.name}>
          {rule.name}
        </Text>
      ),
    },
    {
      id: 'watches',
      title: texts.watches,
      isWide: true,
      order: ({ rule, kind }) => kind?.title ?? rule.kind,
      cell: line => {
        const text = [line.kind?.title ?? line.rule.kind, ...askedTexts(line, of)].join(' · ')
        return (
          <Text span fz="sm" display="block" truncate title={text}>
            {text}
          </Text>
        )
      },
    },
    {
      id: 'cars',
      title: texts.cars,
      isNumeric: true,
      order: ({ rule }) => rule.vehicleIds?.length ?? Number.POSITIVE_INFINITY,
      cell: ({ rule }) => (rule.vehicleIds ? formatNumber(rule.vehicleIds.length, language) : texts.allCars),
    },
    {
      id: 'hours',
      title: texts.hours,
      cell: ({ rule }) => (rule.hours ? texts.atHours : texts.always),
    },
    {
      id: 'severity',
      title: texts.severity,
      order: ({ rule }) => SEVERITIES.indexOf(rule.severity),
      cell: ({ rule }) => <SeverityBadge severity={rule.severity} />,
    },
    {
      id: 'since',
      title: texts.since,
      isNumeric: true,
      order: ({ rule }) => Date.parse(rule.fromTimestamp),
      cell: ({ rule }) => formatDate(Date.parse(rule.fromTimestamp), language),
    },
    {
      id: 'actions',
      title: '',
      cell: ({ rule }) => (
        <Group gap={6} wrap="nowrap" justify="flex-end">
          {mayReadIncidents && (
            <PageLink
              to="/incidents"
              search={{ rule: rule.id, range: 'quarter' }}
              fz="sm"
              aria-label={texts.incidentsOf(rule.name)}
            >
              {texts.incidents}
            </PageLink>
          )}
          <ActionIcon
            variant="default"
            aria-label={texts.changeOf(rule.name)}
            title={texts.change}
            onClick={() => onChange(rule)}
          >
            <IconPencil size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="default"
            c="red"
            aria-label={texts.removeOf(rule.name)}
            title={texts.remove}
            onClick={() => onRemove(rule)}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ),
    },
  ]
}

/** What the rule asks for, each with its name. */
function askedTexts({ rule, kind }: RuleLine, { texts, language, areas }: ColumnsOf): readonly string[] {
  return (kind?.parameters ?? []).map(parameter => {
    const value: unknown = rule.parameters[parameter.name] ?? parameter.defaultValue
    return `${parameter.label} ${parameterText(value, parameter.unit ?? '', parameter, { language, texts, areas })}`
  })
}
