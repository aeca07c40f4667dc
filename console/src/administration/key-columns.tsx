import { Badge, Button, Group } from '@mantine/core'
import type { Key } from '../api/schema.ts'
import { formatDate } from '../language/format.ts'
import type { Language, Texts } from '../language/language.ts'
import type { Column } from '../table/column.ts'
import { PermissionsText } from './permission-choice.tsx'

interface ColumnsOf {
  readonly texts: Texts<'administration'>
  readonly language: Language
  readonly onTakeOver: (key: Key) => void
  readonly onRevoke: (key: Key) => void
}

/** What the list says of each key. */
export function keyColumns({ texts, language, onTakeOver, onRevoke }: ColumnsOf): readonly Column<Key>[] {
  return [
    { id: 'name', title: texts.name, cell: key => key.name },
    { id: 'permissions', title: texts.permissions, cell: key => <PermissionsText permissions={key.permissions} /> },
    { id: 'created', title: texts.created, cell: key => formatDate(Date.parse(key.createdTimestamp), language) },
    {
      id: 'expires',
      title: texts.expires,
      cell: key =>
        key.expiresTimestamp === null ? texts.never : formatDate(Date.parse(key.expiresTimestamp), language),
    },
    {
      id: 'madeBy',
      title: texts.madeBy,
      cell: key => (
        <Group gap="xs" wrap="nowrap">
          {key.madeBy?.name ?? texts.operator}
          {key.isResting && (
            <Badge
              size="sm"
              color="orange"
              variant="light"
              tt="none"
              style={{ flexShrink: 0 }}
              title={texts.restingHint}
            >
              {texts.resting}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      id: 'actions',
      title: texts.actions,
      isNumeric: true,
      cell: key => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {key.isResting && (
            <Button size="compact-sm" aria-label={texts.takeOverKey(key.name)} onClick={() => onTakeOver(key)}>
              {texts.takeOver}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="default"
            aria-label={texts.revokeKey(key.name)}
            onClick={() => onRevoke(key)}
          >
            {texts.revoke}
          </Button>
        </Group>
      ),
    },
  ]
}
