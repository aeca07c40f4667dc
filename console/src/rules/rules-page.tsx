import { ActionIcon, Button, Group, Stack, Title } from '@mantine/core'
import { IconListCheck, IconPencil, IconPlus, IconSearch, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { ask } from '../api/request.ts'
import type { Rule, RuleKind } from '../api/types.ts'
import { useAreaNames } from '../areas/areas-query.ts'
import { dayOf } from '../calendar/days.ts'
import { ConfirmDialog } from '../dialog/dialog.tsx'
import { ExportMenu } from '../export/export-menu.tsx'
import { fileNameOf } from '../export/files.ts'
import { normalised } from '../fleet/car.ts'
import { SEVERITIES } from '../incidents/incident.ts'
import { SeverityBadge } from '../incidents/incident-parts.tsx'
import { formatDate, formatNumber, type Texts, timeZoneHere, useTexts } from '../language/language.ts'
import { EmptyState, PageLink, RequestState } from '../page/page.tsx'
import { useMay } from '../session/use-session.ts'
import { type Column, numberColumn, textColumn } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { SearchField, useSearchText } from '../table/filters.tsx'
import { TwoLines } from '../table/plain-table.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { parameterText, RulesProgress, type RuleWords, ruleKindsQuery, rulesQuery } from './rules.tsx'

const TABLE_HEIGHT = 'max(320px, calc(100dvh - 200px))'

/** What a new rule begins with: most fleets drive too fast somewhere, so there is something to see. */
const USUAL_KIND = 'SPEEDING'

/** What the fleet is watched for. */
export function RulesPage() {
  const texts = useTexts('rules')
  const areas = useAreaNames()
  const mayReadIncidents = useMay('incidents')
  const search = useSearch({ from: '/rules' })
  const navigate = useNavigate({ from: '/rules' })
  const { field, wanted } = useSearchText()
  const [removed, setRemoved] = useState<Rule>()
  const rules = useQuery(rulesQuery)
  const kinds = useQuery(ruleKindsQuery)
  const client = useQueryClient()
  const kindOf = (name: unknown) => kinds.data?.find(kind => kind.name === name)
  const lines = useMemo(() => {
    const present = [...(rules.data?.values() ?? [])].filter(rule => rule.deleteTimestamp === null)
    return rules.data && kinds.data && present.map(rule => ruleLine(rule, kinds.data, { texts, areas }))
  }, [rules.data, kinds.data, texts, areas])
  const found = useMemo(
    () => lines?.filter(({ shown }) => shown.some(text => normalised(text).includes(normalised(wanted)))),
    [lines, wanted],
  )
  const columns = useMemo(() => {
    const change = ({ id }: Rule) => void navigate({ search: before => ({ ...before, rule: id, new: undefined }) })
    return ruleColumns(texts, mayReadIncidents, change, setRemoved)
  }, [texts, mayReadIncidents, navigate])
  const exportSource = () => ({
    fileName: fileNameOf([texts.csvName, dayOf(Date.now())]),
    titles: texts.csvTitles(timeZoneHere()),
    pages: () => [
      (found ?? []).map(({ rule, watches, cars, hours }) => {
        return [rule.name, watches, cars, hours, texts.severities[rule.severity], new Date(rule.fromTimestamp)]
      }),
    ],
  })
  const error = rules.error ?? kinds.error
  const changed = search.new === undefined ? lines?.find(({ rule }) => rule.id === search.rule)?.rule : undefined
  const firstKind = kindOf(changed?.kind ?? search.new) ?? (search.new && kindOf(USUAL_KIND))
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
            <SearchField label={texts.find} {...field} />
            <ExportMenu file="rules" source={exportSource} disabled={found?.length === 0} />
            {add}
          </Group>
        )}
      </Group>
      {!error && <RulesProgress />}
      {!lines && <RequestState error={error} refetch={(rules.error ? rules : kinds).refetch} />}
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
          rule={changed}
          areaId={search.area}
          onClose={() => void navigate({ search: { search: search.search, sort: search.sort }, replace: true })}
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

/** A rule with what the list and the file say of it in words. */
interface RuleLine {
  readonly rule: Rule
  /** What it looks for: its kind, and what it asks for, each with its name. */
  readonly watches: string
  /** How many. */
  readonly cars: number | string
  readonly hours: string
  /** To be searched. */
  readonly shown: readonly string[]
}

function ruleLine(rule: Rule, kinds: readonly RuleKind[], words: RuleWords): RuleLine {
  const { texts } = words
  const kind = kinds.find(({ name }) => name === rule.kind)
  const asked = (kind?.parameters ?? []).map(parameter => {
    const value: unknown = rule.parameters[parameter.name] ?? parameter.defaultValue
    return `${parameter.label} ${parameterText(value, parameter.unit ?? '', parameter, words)}`
  })
  const watches = [kind?.title ?? rule.kind, ...asked].join(' · ')
  return {
    rule,
    watches,
    cars: rule.vehicleIds?.length ?? texts.allCars,
    hours: rule.hours ? texts.atHours : texts.always,
    shown: [rule.name, watches, texts.severities[rule.severity]],
  }
}

/** What the list says of each rule. */
function ruleColumns(
  texts: Texts<'rules'>,
  mayReadIncidents: boolean,
  onChange: (rule: Rule) => void,
  onRemove: (rule: Rule) => void,
): readonly Column<RuleLine>[] {
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
      ...textColumn('watches', texts.watches, ({ watches }) => watches),
      isWide: true,
      cell: ({ watches }) => <TwoLines>{watches}</TwoLines>,
    },
    {
      id: 'cars',
      title: texts.cars,
      isNumeric: true,
      order: ({ rule }) => rule.vehicleIds?.length ?? Number.POSITIVE_INFINITY,
      cell: ({ cars }) => (typeof cars === 'number' ? formatNumber(cars) : cars),
    },
    textColumn('hours', texts.hours, ({ hours }) => hours),
    {
      id: 'severity',
      title: texts.severity,
      order: ({ rule }) => SEVERITIES.indexOf(rule.severity),
      cell: ({ rule }) => <SeverityBadge severity={rule.severity} />,
    },
    numberColumn('since', texts.since, ({ rule }) => Date.parse(rule.fromTimestamp), formatDate),
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
