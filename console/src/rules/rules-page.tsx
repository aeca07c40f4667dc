import { Button, Group, Stack, Title } from '@mantine/core'
import { IconListCheck, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ask } from '../api/request.ts'
import type { Rule } from '../api/types.ts'
import { useAreaNames } from '../areas/areas-query.ts'
import { ConfirmDialog } from '../dialog/dialog.tsx'
import { useLanguage, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { EmptyState } from '../states/empty-state.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { LoadingState } from '../states/loading-state.tsx'
import { DataTable } from '../table/data-table.tsx'
import { ruleColumns } from './rule-columns.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { RulesProgress } from './rules-progress.tsx'
import { ruleKindsQuery, rulesQuery } from './rules-query.ts'

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
