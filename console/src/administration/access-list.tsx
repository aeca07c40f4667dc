import { Badge, Button, Group, Stack } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import type { Key, User } from '../api/schema.ts'
import { dayOf } from '../calendar/days.ts'
import { ExportMenu } from '../export/export-menu.tsx'
import { type ExportCell, fileNameOf } from '../export/files.ts'
import { formatDate, formatDateTime, useTexts } from '../language/language.ts'
import { EmptyState, ErrorState, LoadingState } from '../page/page.tsx'
import type { Column } from '../table/column.ts'
import { PlainTable } from '../table/plain-table.tsx'
import { permissionsText } from './permissions.tsx'

interface AccessColumn<Row> {
  readonly id: string
  readonly title: string
  /** A text or a day. */
  readonly value: (row: Row) => ExportCell
  /** A text for the page in its place, which says the rest when pointed at. */
  readonly short?: (row: Row) => string
  readonly hasTime?: boolean
  /** What is to be known of it, beside the text; and why that is so, when pointed at. */
  readonly mark?: (row: Row) => string | false
  readonly markHint?: string
}

/** What every dialog over the list says of itself. */
export interface ActionDialog {
  readonly title: string
  readonly action: string
  readonly onClose: () => void
}

interface Action {
  readonly label: string
  /** What is done to whom, as the dialog asks. */
  readonly title: string
  readonly isUrgent?: boolean
  readonly renderDialog: (dialog: ActionDialog) => ReactNode
}

interface AccessListProps<Row> {
  readonly name: 'users' | 'keys'
  readonly answer: UseQueryResult<readonly Row[]>
  readonly first: AccessColumn<Row>
  readonly others: readonly AccessColumn<Row>[]
  readonly add: Omit<Action, 'title'>
  readonly actionsOf: (row: Row) => readonly (Action | false)[]
}

/** Who or what may use the service, with what can be done about each. */
export function AccessList<Row extends User | Key>(props: AccessListProps<Row>) {
  const { name, answer, first, others, add, actionsOf } = props
  const { data: rows, error, refetch } = answer
  const texts = useTexts('administration')
  const [dialog, setDialog] = useState<ReactNode>()
  if (!rows) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
  const open = ({ label, title, renderDialog }: Action) =>
    setDialog(renderDialog({ title, action: label, onClose: () => setDialog(undefined) }))
  const columns: readonly AccessColumn<Row>[] = [
    first,
    {
      id: 'permissions',
      title: texts.permissions,
      value: ({ permissions }) => permissions.map(permission => texts.permission[permission]).join(' · '),
      short: ({ permissions }) => permissionsText(permissions, texts),
    },
    { id: 'created', title: texts.created, value: row => new Date(row.createdTimestamp) },
    ...others,
  ]
  return (
    <Stack>
      <Group>
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => open({ ...add, title: add.label })}>
          {add.label}
        </Button>
        <ExportMenu
          file={name}
          disabled={rows.length === 0}
          source={() => ({
            fileName: fileNameOf([texts[name], dayOf(Date.now())]),
            titles: columns.map(({ title }) => title),
            pages: () => [rows.map(row => columns.map(({ value }) => value(row)))],
          })}
        />
      </Group>
      {rows.length === 0 ? (
        <EmptyState icon={IconKey} title={texts.noKeys} hint={texts.noKeysHint} />
      ) : (
        <PlainTable
          label={texts[name]}
          rows={rows}
          columns={[...columns.map(shown), actionColumn(texts.actions, actionsOf, open)]}
          keyOf={({ id }) => id}
        />
      )}
      {dialog}
    </Stack>
  )
}

function shown<Row>({ id, title, value, short, hasTime, mark, markHint }: AccessColumn<Row>): Column<Row> {
  const textOf = (row: Row) => {
    const all = value(row)
    if (all instanceof Date) return (hasTime ? formatDateTime : formatDate)(all.getTime())
    return short ? <span title={String(all)}>{short(row)}</span> : all
  }
  return {
    id,
    title,
    cell: row => {
      const text = mark?.(row)
      if (!text) return textOf(row)
      return (
        <Group gap="xs" wrap="nowrap">
          {textOf(row)}
          <Badge size="sm" color={markHint && 'orange'} variant="light" tt="none" miw="max-content" title={markHint}>
            {text}
          </Badge>
        </Group>
      )
    },
  }
}

function actionColumn<Row>(
  title: string,
  actionsOf: AccessListProps<Row>['actionsOf'],
  open: (action: Action) => void,
): Column<Row> {
  return {
    id: 'actions',
    title,
    isNumeric: true,
    cell: row => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        {actionsOf(row).map(
          action =>
            action && (
              <Button
                key={action.label}
                size="compact-sm"
                variant={action.isUrgent ? 'filled' : 'default'}
                aria-label={action.title}
                onClick={() => open(action)}
              >
                {action.label}
              </Button>
            ),
        )}
      </Group>
    ),
  }
}

/** Keys hang on their users, and what the person may do on both. */
export async function refetchAccess(): Promise<void> {
  await Promise.all([['administration'], ['session']].map(queryKey => queryClient.invalidateQueries({ queryKey })))
}
