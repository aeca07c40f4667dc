import { ActionIcon, Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconListCheck, IconPencil, IconPlus, IconSearch, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue, useMemo, useState } from 'react'
import { ask } from '../api/request.ts'
import type { Rule, RuleKind } from '../api/types.ts'
import { useAreaNames } from '../areas/areas-query.ts'
import { ConfirmDialog } from '../dialog/dialog.tsx'
import { normalised } from '../fleet/car.ts'
import { SEVERITIES } from '../incidents/incident.ts'
import { SeverityBadge } from '../incidents/incident-parts.tsx'
import { formatDate, formatNumber, type Texts, useTexts } from '../language/language.ts'
import { EmptyState, ErrorState, LoadingState, PageLink } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import type { Column } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { SearchField, useTyped } from '../table/filters.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { parameterText, RulesProgress, ruleKindsQuery, rulesQuery } from './rules.tsx'

const TABLE_HEIGHT = 'max(320px, calc(100dvh - 200px))'

/** The address follows what is typed after a rest of this length. */
const TYPING_MS = 300

/** What a new rule begins with: most fleets drive too fast somewhere, so there is something to see. */
const USUAL_KIND = 'SPEEDING'

/** What the fleet is watched for. */
export function RulesPage() {
  const texts = useTexts('rules')
  const areas = useAreaNames()
  const mayReadIncidents = useMay('incidents')
  const search = useSearch({ from: '/rules' })
  const navigate = useNavigate({ from: '/rules' })
  const { typed, type } = useTyped(search.search ?? '', TYPING_MS, text => {
    void navigate({ search: before => ({ ...before, search: text || undefined }), replace: true })
  })
  const wanted = normalised(useDeferredValue(typed))
  const [removed, setRemoved] = useState<Rule>()
  const rules = useQuery(rulesQuery)
  const kinds = useQuery(ruleKindsQuery)
  const client = useQueryClient()
  const lines = useMemo(() => {
    if (!rules.data || !kinds.data) return undefined
    const kindsByName = new Map(kinds.data.map(kind => [kind.name, kind]))
    const present = [...rules.data.values()].filter(rule => rule.deleteTimestamp === null)
    return present.map(rule => ({ rule, kind: kindsByName.get(rule.kind) }))
  }, [rules.data, kinds.data])
  const of = useMemo(
    () => ({
      texts,
      areas,
      mayReadIncidents,
      onChange: ({ id }: Rule) => void navigate({ search: before => ({ ...before, rule: id, new: undefined }) }),
      onRemove: setRemoved,
    }),
    [texts, areas, mayReadIncidents, navigate],
  )
  const columns = useMemo(() => ruleColumns(of), [of])
  const found = useMemo(
    () => lines?.filter(line => shownTexts(line, of).some(text => normalised(text).includes(wanted))),
    [lines, of, wanted],
  )
  const error = rules.error ?? kinds.error
  const changed = lines?.find(({ rule }) => rule.id === search.rule)
  const isNew = search.new !== undefined
  const kindOf = (wantedKind: unknown) => kinds.data?.find(({ name }) => name === wantedKind)
  const firstKind = isNew ? (kindOf(search.new) ?? kindOf(USUAL_KIND)) : changed?.kind
  const add = (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      onClick={() => void navigate({ search: { ...search, rule: undefined, new: true } })}
    >
      {texts.add}
    </Button>
  )
  return (
    <Stack p="md" gap="md">
      <Group justify="space-between" align="end">
        <Title order={1} fz="h2">
          {texts.title}
        </Title>
        {lines && lines.length > 0 && (
          <Group gap="sm">
            <SearchField label={texts.find} value={typed} onChange={type} />
            {add}
          </Group>
        )}
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
      {lines && lines.length > 0 && found?.length === 0 && (
        <EmptyState icon={IconSearch} title={texts.noMatch} hint={texts.noMatchHint} />
      )}
      {found && found.length > 0 && (
        <DataTable
          label={texts.title}
          rows={found}
          columns={columns}
          keyOf={({ rule }) => rule.id}
          firstOrdering={{ columnId: 'name', isDescending: false }}
          sort={search.sort}
          onSort={sort => void navigate({ search: { ...search, sort }, replace: true })}
          height={TABLE_HEIGHT}
        />
      )}
      {kinds.data && firstKind && (
        <RuleDialog
          key={search.rule}
          kinds={kinds.data}
          firstKind={firstKind}
          rule={isNew ? undefined : changed?.rule}
          onClose={() => void navigate({ search: { ...search, rule: undefined, new: undefined }, replace: true })}
        />
      )}
      {removed && (
        <ConfirmDialog
          title={texts.removeTitle(removed.name)}
          hint={texts.removeHint}
          action={texts.remove}
          onConfirm={async () => {
            await ask('DELETE /cc/v2.0/rules/{ruleId}', { path: { ruleId: removed.id } })
            await client.invalidateQueries({ queryKey: ['rules'] })
          }}
          onClose={() => setRemoved(undefined)}
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
  /** Names by id. */
  readonly areas: ReadonlyMap<string, string>
  readonly mayReadIncidents: boolean
  readonly onChange: (rule: Rule) => void
  readonly onRemove: (rule: Rule) => void
}

/** What the list says of each rule. */
function ruleColumns(of: ColumnsOf): readonly Column<RuleLine>[] {
  const { texts, mayReadIncidents, onChange, onRemove } = of
  return [
    {
      id: 'name',
      title: texts.rule,
      order: ({ rule }) => rule.name,
      cell: ({ rule }) => (
        <PageLink
          to="/rules"
          search={before => ({ ...before, rule: rule.id, new: undefined })}
          fz="sm"
          fw={600}
          display="block"
          maw={280}
          truncate
          title={rule.name}
        >
          {rule.name}
        </PageLink>
      ),
    },
    {
      id: 'watches',
      title: texts.watches,
      isWide: true,
      order: ({ rule, kind }) => kind?.title ?? rule.kind,
      cell: line => {
        const text = watchesText(line, of)
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
      cell: ({ rule }) => (rule.vehicleIds ? formatNumber(rule.vehicleIds.length) : texts.allCars),
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
      cell: ({ rule }) => formatDate(Date.parse(rule.fromTimestamp)),
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

/** What a rule looks for: its kind, and what it asks for, each with its name. */
function watchesText({ rule, kind }: RuleLine, { texts, areas }: ColumnsOf): string {
  const asked = (kind?.parameters ?? []).map(parameter => {
    const value: unknown = rule.parameters[parameter.name] ?? parameter.defaultValue
    return `${parameter.label} ${parameterText(value, parameter.unit ?? '', parameter, { texts, areas })}`
  })
  return [kind?.title ?? rule.kind, ...asked].join(' · ')
}

/** What a row shows, to be searched. */
function shownTexts(line: RuleLine, of: ColumnsOf): readonly string[] {
  return [line.rule.name, watchesText(line, of), of.texts.severities[line.rule.severity]]
}
