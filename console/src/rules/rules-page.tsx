import { ActionIcon, Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconListCheck, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ask } from '../api/request.ts'
import type { Rule, RuleKind } from '../api/types.ts'
import { useAreaNames } from '../areas/areas-query.ts'
import { ConfirmDialog } from '../dialog/dialog.tsx'
import { SEVERITIES } from '../incidents/incident.ts'
import { SeverityBadge } from '../incidents/incident-parts.tsx'
import { formatDate, formatNumber } from '../language/format.ts'
import { type Language, type Texts, useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { PageLink } from '../shell/page-link.tsx'
import { EmptyState } from '../states/empty-state.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { parameterText, RulesProgress, ruleKindsQuery, rulesQuery } from './rules.tsx'

const TABLE_HEIGHT = 'max(320px, calc(100dvh - 200px))'

type Open = { readonly dialog: 'new' } | { readonly dialog: 'change' | 'remove'; readonly rule: Rule }

/** What the fleet is watched for. */
export function RulesPage() {
  const texts = useTexts('rules')
  const language = useLanguage()
  const areas = useAreaNames()
  const mayReadIncidents = useMay('incidents')
  const [open, setOpen] = useState<Open>()
  const rules = useQuery(rulesQuery)
  const kinds = useQuery(ruleKindsQuery)
  const client = useQueryClient()
  const lines = useMemo(() => {
    if (!rules.data || !kinds.data) return undefined
    const kindsByName = new Map(kinds.data.map(kind => [kind.name, kind]))
    const present = [...rules.data.values()].filter(rule => rule.deleteTimestamp === null)
    return present.map(rule => ({ rule, kind: kindsByName.get(rule.kind) }))
  }, [rules.data, kinds.data])
  const columns = useMemo(
    () =>
      ruleColumns({
        texts,
        language,
        areas,
        mayReadIncidents,
        onChange: rule => setOpen({ dialog: 'change', rule }),
        onRemove: rule => setOpen({ dialog: 'remove', rule }),
      }),
    [texts, language, areas, mayReadIncidents],
  )
  const error = rules.error ?? kinds.error
  const close = () => setOpen(undefined)
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ dialog: 'new' })}>
      {texts.add}
    </Button>
  )
  return (
    <Stack p="md" gap="md">
      <Group justify="space-between" align="end">
        <Title order={1} fz="h2">
          {texts.title}
        </Title>
        {lines && lines.length > 0 && add}
      </Group>
      {!error && <RulesProgress />}
      {!lines && error && (
        <ErrorState error={error} onRetry={() => void client.refetchQueries({ queryKey: ['rules'] })} />
      )}
      {!lines && !error && <LoadingState />}
      {lines?.length === 0 && (
        <EmptyState icon={IconListCheck} title={texts.none} hint={texts.noneHint}>
          {add}
        </EmptyState>
      )}
      {lines && lines.length > 0 && (
        <DataTable
          label={texts.title}
          rows={lines}
          columns={columns}
          keyOf={({ rule }) => rule.id}
          firstOrdering={{ columnId: 'name', isDescending: false }}
          height={TABLE_HEIGHT}
        />
      )}
      {kinds.data && open && open.dialog !== 'remove' && (
        <RuleDialog kinds={kinds.data} rule={open.dialog === 'change' ? open.rule : undefined} onClose={close} />
      )}
      {open?.dialog === 'remove' && (
        <ConfirmDialog
          title={texts.removeTitle(open.rule.name)}
          hint={texts.removeHint}
          action={texts.remove}
          onConfirm={async () => {
            await ask('DELETE /cc/v2.0/rules/{ruleId}', { path: { ruleId: open.rule.id } })
            await client.invalidateQueries({ queryKey: ['rules'] })
          }}
          onClose={close}
        />
      )}
    </Stack>
  )
}

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
function ruleColumns(of: ColumnsOf): readonly Column<RuleLine>[] {
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
