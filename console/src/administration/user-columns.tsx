import { Badge, Button, Group } from '@mantine/core'
import type { User } from '../api/schema.ts'
import { formatDate, formatDateTime } from '../language/format.ts'
import type { Language, Texts } from '../language/language.ts'
import type { Column } from '../table/column.ts'
import { PermissionsText } from './permission-choice.tsx'

interface ColumnsOf {
  readonly texts: Texts<'administration'>
  readonly language: Language
  readonly isMe: (user: User) => boolean
  readonly onChange: (user: User) => void
  readonly onRemove: (user: User) => void
}

/** What the list says of each user. */
export function userColumns({ texts, language, isMe, onChange, onRemove }: ColumnsOf): readonly Column<User>[] {
  return [
    {
      id: 'email',
      title: texts.email,
      cell: user => (
        <Group gap="xs" wrap="nowrap">
          {user.email}
          {isMe(user) && (
            <Badge size="sm" variant="light" tt="none" style={{ flexShrink: 0 }}>
              {texts.you}
            </Badge>
          )}
        </Group>
      ),
    },
    { id: 'permissions', title: texts.permissions, cell: user => <PermissionsText permissions={user.permissions} /> },
    { id: 'created', title: texts.created, cell: user => formatDate(Date.parse(user.createdTimestamp), language) },
    {
      id: 'lastLogin',
      title: texts.lastLogin,
      cell: user =>
        user.lastLoginTimestamp === null ? texts.never : formatDateTime(Date.parse(user.lastLoginTimestamp), language),
    },
    {
      id: 'actions',
      title: texts.actions,
      isNumeric: true,
      cell: user => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={texts.changeUser(user.email)}
            onClick={() => onChange(user)}
          >
            {texts.change}
          </Button>
          {!isMe(user) && (
            <Button
              size="compact-sm"
              variant="default"
              aria-label={texts.removeUser(user.email)}
              onClick={() => onRemove(user)}
            >
              {texts.remove}
            </Button>
          )}
        </Group>
      ),
    },
  ]
}
